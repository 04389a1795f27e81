"""How far the ratings of scales and numbers agree: intraclass correlations, and alpha at equal steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from analysis.stats.estimates import Estimate
from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.agreement import agreement_of_values, several
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.generic.intraclass import of_means, one_way, two_way
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.pairs import SharedImages
from scoring.protocol import Variable


class Rated(NamedTuple):
    """The (n,) ratings of an item on images with two or more, the images' codes, and who rated."""

    variable: Variable
    values: Floats
    images: Ints
    people: Ints


def _rated(frame: ValuesFrame) -> Iterator[Rated]:
    """Yield the scales and numbers that two or more people answered about an image."""
    people = frame.codes("annotator")
    for variable in frame.protocol.variables:
        if variable.level_of_measurement != "nominal":
            values = frame.values[variable.name][:, 0]
            given = np.flatnonzero(~np.isnan(values))
            rows, images = several(given, frame.image_codes[given])
            if len(rows):
                yield Rated(variable, values[rows], images, people[rows])


def _equal_steps(frame: ValuesFrame) -> list[tuple[str, Estimate]]:
    alphas: list[tuple[str, Estimate]] = []
    for item in _rated(frame):
        if item.variable.level_of_measurement == "ordinal":
            interval = replace(item.variable, level_of_measurement="interval")
            n_annotators = len(np.unique(item.people))
            alpha = alpha_of(item.values[:, None], item.images, interval, n_annotators)
            alphas.append((f"{item.variable.title}: alpha at equal steps", alpha))
    return alphas


def _tables(frame: ValuesFrame, _: SharedImages) -> list[Json]:
    forms = (
        ("1", "other raters on each image"),
        ("A", "the same raters, strictness counts"),
        ("C", "the same raters, only the order of images counts"),
    )
    correlations = table(
        "correlations",
        "Intraclass correlations",
        "The share of the variance that is due to the images: of one rating, and of the mean of as many as "
        "an image has at most.",
        (
            ResultColumn("variable", "Item"),
            *(ResultColumn(f"icc_{form}_1", f"ICC({form},1)", "estimate", words) for form, words in forms),
            ResultColumn("k", "k", "count", "most ratings of an image"),
            *(ResultColumn(f"icc_{form}_k", f"ICC({form},k)", "estimate", words) for form, words in forms),
        ),
        map(_correlated, _rated(frame)),
    )
    return [correlations]


def _correlated(item: Rated) -> list[Any]:
    single, mean, k = one_way(item.values, item.images, len(np.unique(item.people)))
    both = two_way(item.values, item.people, item.images)
    return [item.variable.title, single, *both, k, mean, *(of_means(icc, k) for icc in both)]


agreement_of_items: Final = replace(agreement_of_values, own=_tables, further=_equal_steps)
"""The agreement of a form: that of its variables, with correlations.

Scales have a second alpha, as if their points were at equal steps.
"""
