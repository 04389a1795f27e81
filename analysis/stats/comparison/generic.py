"""Comparison for any protocol: its headline, and the components of its other variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, Unpack

import numpy as np

from analysis.stats.comparison.compared import Compared, image_means
from analysis.stats.comparison.comparison import Beside, compare
from analysis.stats.comparison.generators import A, B
from analysis.stats.comparison.welch import corrected, welch_of
from analysis.stats.estimates import Range
from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.means import Groups, grouped, mean_estimates
from analysis.stats.steps import Steps

ITEM: Final = ResultColumn("item", "Item")
_SHARE: Final[Range] = (0.0, 1.0)
Adjudicated = Mapping[int, Mapping[str, Floats]]
"""By image id: (c,) adjudicated values by variable."""


class _Item(NamedTuple):
    """What is averaged: (n,) values of a variable, or of three or more options whether one was chosen."""

    title: str
    values: Floats
    limits: Range


def items_tables(frame: ValuesFrame) -> list[Json]:
    """Return the mean of each item by generator, and Welch's tests of every two; nothing for a single item.

    An image counts with the mean of those who answered. Holm's correction is over all items and pairs.
    """
    items = list(_items(frame))
    if len(items) < 2:
        return []
    labels, n_annotators = frame.labels("generator"), frame.n_annotators("generator")
    by_item = [(item, _by_generator(frame, item.values)) for item in items]
    tests = corrected(
        [
            {"item": item.title, **test}
            for item, moments in by_item
            for test in welch_of(labels, moments, item.limits)
        ]
    )
    means = ((item.title, *mean_estimates(moments, n_annotators, item.limits)) for item, moments in by_item)
    keys = ("item", "a", "b", "difference", "t", "df", "p", "p_holm")
    return [
        table(
            "items",
            "Items",
            "The mean of each item by generator, of images, with Student's 95% interval; of three or more "
            "options, the share of each.",
            (ITEM, *(ResultColumn(f"generator {label}", label, "estimate") for label in labels)),
            means,
        ),
        table(
            "item_differences",
            "Differences by item",
            "Welch's test over images, beside the model of the headline and without a verdict.",
            (
                *(ITEM, A, B),
                ResultColumn("difference", "A − B", "estimate", "with its 95% interval"),
                ResultColumn("t", "t", "number"),
                ResultColumn("df", "df", "number", "degrees of freedom (Welch and Satterthwaite)"),
                ResultColumn("p", "p", "p", "two-sided"),
                ResultColumn("p_holm", "p (Holm)", "p", "corrected for all items and pairs"),
            ),
            ([test[key] for key in keys] for test in tests),
        ),
    ]


def _items(frame: ValuesFrame) -> Iterator[_Item]:
    for variable in frame.protocol.variables:
        values = frame.values[variable.name][:, 0]
        if variable.components:
            continue
        if variable.level_of_measurement == "nominal" and len(variable.values) > 2:
            # The domain lists the options with their codes: `0 Photo, 1 Drawing, 2 Render`.
            options = zip(variable.values, re.split(", (?=[0-9]+ )", variable.value_domain), strict=False)
            for code, option in options:
                chosen = np.where(np.isnan(values), np.nan, values == code)
                yield _Item(f"{variable.title} {option.partition(' ')[2]}", chosen, _SHARE)
        else:
            yield _Item(variable.title, values, variable.range)


def _by_generator(frame: ValuesFrame, values: Floats) -> Groups:
    """Return the moments of the images' means by generator, of (n,) answers that are NaN where missing."""
    given = ~np.isnan(values)
    codes: Ints = frame.image_codes[given]
    generators: Ints = frame.codes("generator")[given]
    images, first, place = np.unique(codes, return_index=True, return_inverse=True)
    means = np.bincount(place, values[given]) / np.bincount(place) if len(images) else values[:0]
    return grouped(means, generators[first], len(frame.labels("generator")))


def comparison(
    frame: ValuesFrame,
    steps: Steps | None = None,
    adjudicated: Adjudicated | None = None,
    **beside: Unpack[Beside],
) -> dict[str, Any]:
    """Return the comparison of the headline; annotations without an optional headline are left out."""
    every, frame = frame, frame.with_headline
    headline = frame.protocol.headline
    compared = Compared(
        frame=frame,
        headline=headline,
        scores=frame.headline,
        images=image_means(frame, frame.headline),
        adjudicated={
            image: float(values[headline.name][0])
            for image, values in (adjudicated or {}).items()
            if not np.isnan(values[headline.name][0])
        },
    )

    def own() -> list[Json]:
        return [*items_tables(every), _components(frame, compared)]

    return compare(compared, steps, own=own, **beside)


def _components(frame: ValuesFrame, compared: Compared) -> Json:
    """Return the mean of every component of every variable, by generator."""
    labels, codes = frame.labels("generator"), compared.codes("generator")
    rows = []
    for variable in frame.protocol.variables:
        for place, component in enumerate(variable.components):
            values = image_means(frame, frame.values[variable.name][:, place])
            rows.append([variable.title, component, *grouped(values, codes, len(labels)).mean.tolist()])
    return table(
        "components",
        "Components",
        "The mean of each component by generator, of images, doubly annotated ones averaged; for yes or no, "
        "this is the share of yes.",
        (
            ResultColumn("variable", "Measure"),
            ResultColumn("component", "Component"),
            *(ResultColumn(f"generator {label}", label, "number") for label in labels),
        ),
        rows,
    )
