"""Raters of scales and numbers: how far their means agree, who is strict, who is erratic.

A rater's bias is the mean difference from the images' means, taken once and not centred (ITU-T P.913 (2021),
12.4). Screening is that of ITU-R BT.500-14 (2019), A1-2.3.1, with the standard deviation over n − 1: it is
shown and never applied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from analysis.stats.estimates import Estimate
from analysis.stats.frames import Bools, Floats, Ints
from analysis.stats.generic.agreement import agreement_of_values, several
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.generic.intraclass import of_means, one_way, two_way
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.pairs import SharedImages
from scoring.protocol import Variable

ITEM: Final = ResultColumn("variable", "Item")
OFTEN: Final = 0.05
"""Share of a rater's ratings that are far off, beyond which they may be erratic."""
ONE_SIDED: Final = 0.3
"""From here, what is far off lies on one side: strict or lenient, not erratic."""
FEWEST: Final = 7
"""Ratings of an image from which the rule can find anybody on a scale of five points."""
_ROUNDING: Final = 1e-9


class Rated(NamedTuple):
    """The (n,) ratings of an item on images with two or more, the images' codes, and who rated."""

    variable: Variable
    values: Floats
    images: Ints
    people: Ints


def rated_items(frame: ValuesFrame) -> Iterator[Rated]:
    """Yield the items whose ratings have a mean: scales and numbers."""
    people = frame.codes("annotator")
    for variable in frame.protocol.variables:
        if variable.level_of_measurement != "nominal":
            values = frame.values[variable.name][:, 0]
            given = np.flatnonzero(~np.isnan(values))
            rows, images = several(given, frame.image_codes[given])
            yield Rated(variable, values[rows], images, people[rows])


def _equal_steps(frame: ValuesFrame) -> list[tuple[str, Estimate]]:
    alphas: list[tuple[str, Estimate]] = []
    for item in rated_items(frame):
        if item.variable.level_of_measurement == "ordinal" and len(item.values):
            interval = replace(item.variable, level_of_measurement="interval")
            n_annotators = len(np.unique(item.people))
            alpha = alpha_of(item.values[:, None], item.images, interval, n_annotators)
            alphas.append((f"{item.variable.title}: alpha at equal steps", alpha))
    return alphas


def _tables(frame: ValuesFrame, _: SharedImages) -> list[Json]:
    items = [item for item in rated_items(frame) if len(item.values)]
    return [_correlations(items), _raters(items, frame.labels("annotator"))]


def _correlations(items: list[Rated]) -> Json:
    forms = (
        ("1", "other raters on each image"),
        ("A", "the same raters, strictness counts"),
        ("C", "the same raters, only the order of images counts"),
    )
    return table(
        "correlations",
        "Intraclass correlations",
        "The share of the variance that is due to the images: of one rating, and of the mean of as many as "
        "an image has at most.",
        (
            ITEM,
            *(ResultColumn(f"icc_{form}_1", f"ICC({form},1)", "estimate", words) for form, words in forms),
            ResultColumn("k", "k", "count", "most ratings of an image"),
            *(ResultColumn(f"icc_{form}_k", f"ICC({form},k)", "estimate", words) for form, words in forms),
        ),
        map(_correlated, items),
    )


def _correlated(item: Rated) -> list[Any]:
    single, mean, k = one_way(item.values, item.images, len(np.unique(item.people)))
    both = two_way(item.values, item.people, item.images)
    return [item.variable.title, single, *both, k, mean, *(of_means(icc, k) for icc in both)]


def _raters(items: list[Rated], labels: list[str]) -> Json:
    return table(
        "raters",
        "Raters",
        "Bias: how far a rater's ratings lie above the means of their images. Far off: at least two (or √20) "
        "standard deviations from the mean. Screening finds who is often far off on both sides; with fewer "
        f"than {FEWEST} ratings of an image it can find nobody. No answer is left out because of it.",
        (
            ITEM,
            ResultColumn("annotator", "Rater"),
            ResultColumn("ratings", "Ratings", "count", "ratings of images with two or more"),
            ResultColumn("bias", "Bias", "number", "mean difference from the images' means"),
            ResultColumn("above", "Far above", "count"),
            ResultColumn("below", "Far below", "count"),
            ResultColumn("erratic", "Erratic", meaning="by the screening of ITU-R BT.500, for information"),
        ),
        (row for item in items for row in _rows_of(item, labels)),
    )


def _rows_of(item: Rated, labels: list[str]) -> Iterator[list[Any]]:
    above, below = far_off(item)
    away = item.values - _means(item.values, item.images)
    raters = pd.Categorical.from_codes(item.people, pd.Index(labels))
    rated = pd.DataFrame({"rater": raters, "away": away, "above": above, "below": below})
    for rater, own in rated.groupby("rater", observed=True):
        high, low = int(own["above"].sum()), int(own["below"].sum())
        often = high + low > OFTEN * len(own) and abs(high - low) < ONE_SIDED * (high + low)
        bias, erratic = float(own["away"].mean()), "yes" if often else "no"
        yield [item.variable.title, rater, len(own), bias, high, low, erratic]


def far_off(item: Rated) -> tuple[Bools, Bools]:
    """Return (n,) whether each rating lies far above, and far below the mean of its image.

    Far is 2 S where the ratings look normal (2 ≤ m₄/m₂² ≤ 4), else √20 S, with S over n − 1.
    """
    n = np.bincount(item.images, minlength=1)
    away = item.values - _means(item.values, item.images)
    second, fourth = (_means(away**power, item.images) for power in (2, 4))
    with np.errstate(divide="ignore", invalid="ignore"):
        normal = np.abs(fourth / second**2 - 3) <= 1
    sizes = n[item.images]
    reach = np.where(normal, 2, np.sqrt(20)) * np.sqrt(second * sizes / (sizes - 1)) - _ROUNDING
    spread = second > _ROUNDING
    return spread & (away >= reach), spread & (away <= -reach)


def _means(values: Floats, images: Ints) -> Floats:
    """Return (n,): the mean of each value's image."""
    return np.asarray((np.bincount(images, values) / np.bincount(images))[images])


agreement_of_items: Final = replace(agreement_of_values, own=_tables, further=_equal_steps)
"""The agreement of a form: that of its variables, with correlations and raters.

Scales have a second alpha, as if their points were at equal steps.
"""
