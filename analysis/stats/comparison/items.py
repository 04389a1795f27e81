"""The items of a form by generator: what the mixed model of the headline does not show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from analysis.stats.comparison.generators import A, B
from analysis.stats.comparison.welch import corrected, welch_of
from analysis.stats.estimates import Range
from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.means import Groups, grouped, mean_estimates

ITEM: Final = ResultColumn("item", "Item")
_SHARE: Final[Range] = (0.0, 1.0)


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
    labels, coders = frame.labels("generator"), frame.coders("generator")
    found = [(item, _by_generator(frame, item.values)) for item in items]
    tests = corrected(
        [
            {"item": item.title, **test}
            for item, moments in found
            for test in welch_of(labels, moments, item.limits)
        ]
    )
    means = ((item.title, *mean_estimates(moments, coders, item.limits)) for item, moments in found)
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
