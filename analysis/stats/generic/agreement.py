"""Agreement for every protocol: each measure over all annotators, as the mean of pairs, and by pair."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from analysis.stats.agreement.groups import several
from analysis.stats.estimates import Estimate
from analysis.stats.frames import AnnotationTable, Ints
from analysis.stats.generic.alphas import alpha_of, level_of
from analysis.stats.generic.disagreements import largest_disagreements
from analysis.stats.generic.measures import beside_alpha
from analysis.stats.generic.tables import Json, ResultColumn, figure, finding, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.pairs import SharedImages, shared_images
from analysis.stats.steps import Sections, Steps
from scoring.protocol import Variable

# Pairs listed with an interval: those with the most images.
LISTED: Final = 200
ALPHA: Final = ResultColumn(
    "alpha",
    "Alpha",
    "estimate",
    "Krippendorff's alpha with its 95% interval over images: 1 perfect, 0 chance",
)
AGREED: Final = ResultColumn(
    "agreement",
    "Agreement",
    "estimate",
    "the measure with its 95% interval over images: Krippendorff's alpha unless the measure names another",
)
VARIABLE: Final = ResultColumn("variable", "Measure", meaning="what is measured")
LEVEL: Final = ResultColumn("level", "Level", meaning="how two values are compared: the level of measurement")
IMAGES: Final = ResultColumn("images", "Images", "count", "doubly annotated images", "images")
SECTIONS: Final = 4

Further = Sequence[tuple[str, str, Estimate]]
"""Measures of a protocol's own: title, level, and estimate over all annotators."""


def agreement(frame: ValuesFrame, steps: Steps | None = None, *, further: Further = ()) -> dict[str, Any]:
    """Return the agreement report: `tables`, `findings` and `figures` as plain values, unrounded.

    Targeted annotations appear only in the list of disagreements.
    """
    every, frame = frame, frame.at_random
    section = Sections(steps, SECTIONS)
    shared = section(shared_images(frame))
    pairs = section(_pairs(frame, shared))
    pooled = section(_pooled(frame, _means(pairs, len(shared.names)), further))
    return {
        "tables": [pooled, pairs],
        "findings": [finding("alpha", "agreement", row) for row in range(len(pooled["rows"]))],
        "disagreements": section(
            largest_disagreements(every, shared if every is frame else shared_images(every))
        ),
        **every.drawn_counts(),
        "figures": [
            figure("intervals", "agreement", "Agreement", label="variable", value="pooled"),
            figure("intervals", "pairs", "Pair by pair", label="annotators", value="agreement"),
        ],
    }


def _pooled(frame: ValuesFrame, means: dict[str, float | None], further: Further) -> Json:
    rows, unit = shared_rows(frame, np.arange(len(frame)))
    own = [(title, level, estimate, None) for title, level, estimate in further]
    measured = [*_measured(frame, rows, unit), *own]
    return table(
        "agreement",
        "All annotators",
        "Each measure over all doubly annotated images.",
        (
            VARIABLE,
            LEVEL,
            ResultColumn("pooled", "All annotators", "estimate", AGREED.meaning),
            ResultColumn(
                "mean_of_pairs",
                "Mean of pairs",
                "number",
                "unweighted mean of the pairs' values, as published; empty where not all pairs are listed",
            ),
            IMAGES,
            ResultColumn("annotators", "Annotators", "count", "annotators of these images"),
            ResultColumn("annotations", "Annotations", "count", "annotations of these images", "annotations"),
        ),
        (
            [title, level, found, means.get(title), found["n_units"], found["n_coders"], count]
            for title, level, found, count in measured
        ),
    )


def _measured(frame: ValuesFrame, rows: Ints, unit: Ints) -> Iterator[tuple[str, str, Estimate, int | None]]:
    """Yield title, level, estimate and number of annotations of every measure over these rows and units."""
    annotators = frame.codes("annotator")
    for variable in frame.protocol.variables:
        given, of = _having(frame, variable, rows, unit) if variable.optional else (rows, unit)
        coders = len(np.unique(annotators[given]))
        values, level = frame.values[variable.name][given], level_of(variable)
        yield variable.title, level, alpha_of(values, of, variable, coders), len(given)
        if level == "nominal":
            for name, estimate in beside_alpha(values, of, variable.values, coders).items():
                yield f"{variable.title}: {name}", level, estimate, len(given)


def _having(frame: ValuesFrame, variable: Variable, rows: Ints, unit: Ints) -> tuple[Ints, Ints]:
    """Return the rows that have an optional variable, with their units where several rows do."""
    there = ~np.isnan(frame.values[variable.name][rows, 0])
    return several(rows[there], unit[there])


def shared_rows(frame: AnnotationTable, rows: Ints) -> tuple[Ints, Ints]:
    """Return the sorted rows whose image has two or more of them, and their images as 0, 1, …."""
    return several(rows, frame.image_codes[rows])


def _pairs(frame: ValuesFrame, shared: SharedImages) -> Json:
    listed = np.sort(np.argsort(-shared.sizes, kind="stable")[:LISTED]).tolist()
    rows = []
    for place in listed:
        where = shared.slices[place]
        both = np.stack([shared.first[where], shared.second[where]], axis=1).ravel()
        unit = np.repeat(np.arange(len(both) // 2), 2)
        # As separate texts, so that pseudonyms replace each of them.
        names = list(shared.names[place])
        rows += [
            [names, title, estimate, len(both) // 2] for title, _, estimate, _ in _measured(frame, both, unit)
        ]
    left_out = len(shared.names) - len(listed)
    rest = f" {left_out:,} pairs that share fewer images are not listed." if left_out else ""
    return table(
        "pairs",
        "Pair by pair",
        f"Each pair of annotators over the images they share.{rest}",
        (ResultColumn("annotators", "Annotators"), VARIABLE, AGREED, IMAGES),
        rows,
    )


def _means(pairs: Json, known: int) -> dict[str, float | None]:
    """Return the mean of the pairs' values by measure; empty where not all `known` pairs are listed."""
    values: dict[str, list[float]] = {}
    for _, title, estimate, _ in pairs["rows"] if known <= LISTED else ():
        if estimate["value"] is not None:
            values.setdefault(title, []).append(estimate["value"])
    return {title: math.fsum(each) / len(each) for title, each in values.items()}
