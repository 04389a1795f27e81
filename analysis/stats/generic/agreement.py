"""Agreement for every protocol: alpha of each variable, pooled, by pair, by component and by group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from analysis.stats.agreement.groups import several
from analysis.stats.frames import AnnotationTable, Ints
from analysis.stats.generic.alphas import alpha_of, level_of
from analysis.stats.generic.disagreements import largest_disagreements
from analysis.stats.generic.tables import Json, ResultColumn, figure, finding, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.pairs import SharedImages, shared_images
from analysis.stats.steps import Sections, Steps
from scoring.protocol import Variable

# Pairs and groups listed with an interval: those with the most images.
LISTED: Final = 200
GROUPS: Final = (
    ("generator", "by_generator", "Generator"),
    ("prompt_group", "by_prompt_group", "Prompt group"),
    ("prompt", "by_prompt", "Prompt"),
    ("batch", "by_batch", "Batch"),
)
ALPHA: Final = ResultColumn(
    "alpha",
    "Alpha",
    "estimate",
    "Krippendorff's alpha with its 95% interval over images: 1 perfect, 0 chance",
)
VARIABLE: Final = ResultColumn("variable", "Measure", meaning="what is measured")
LEVEL: Final = ResultColumn("level", "Level", meaning="how two values are compared: the level of measurement")
IMAGES: Final = ResultColumn("images", "Images", "count", "doubly annotated images", "images")
SECTIONS: Final = 4 + len(GROUPS)


def agreement(frame: ValuesFrame, steps: Steps | None = None) -> dict[str, Any]:
    """Return the agreement report: `tables`, `findings` and `figures` as plain values, unrounded.

    Targeted annotations appear only in the list of disagreements.
    """
    every, frame = frame, frame.at_random
    section = Sections(steps, SECTIONS)
    shared = section(shared_images(frame))
    pooled = section(_pooled(frame))
    tables = [pooled, section(_pairs(frame, shared))]
    tables += [found for found in (section(_components(frame)),) if found["rows"]]
    tables += [section(_groups(frame, *group)) for group in GROUPS]
    return {
        "tables": tables,
        "findings": [finding("alpha", "overall", row) for row in range(len(pooled["rows"]))],
        "disagreements": largest_disagreements(every, shared if every is frame else shared_images(every)),
        **every.drawn_counts(),
        "figures": [
            figure("intervals", "overall", "Agreement", label="variable", value="alpha"),
            figure("intervals", "pairs", "Pair by pair", label="annotators", value="alpha"),
        ],
    }


def _pooled(frame: ValuesFrame) -> Json:
    rows, unit = shared_rows(frame, np.arange(len(frame)))
    return table(
        "overall",
        "All annotators",
        "Each measure over all doubly annotated images.",
        (
            VARIABLE,
            LEVEL,
            ALPHA,
            IMAGES,
            ResultColumn("annotators", "Annotators", "count", "annotators of these images"),
        ),
        (
            [variable.title, level_of(variable), alpha, alpha["n_units"], alpha["n_coders"]]
            for variable, alpha in _alphas(frame, rows, unit)
        ),
    )


def _alphas(frame: ValuesFrame, rows: Ints, unit: Ints) -> Iterator[tuple[Variable, Any]]:
    """Yield every variable with its alpha over these rows and units."""
    annotators = frame.codes("annotator")
    for variable in frame.protocol.variables:
        given, of = rows, unit
        if variable.optional:
            given, of = _having(frame, variable, rows, unit)
        coders = len(np.unique(annotators[given]))
        yield variable, alpha_of(frame.values[variable.name][given], of, variable, coders)


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
            [names, variable.title, alpha, len(both) // 2] for variable, alpha in _alphas(frame, both, unit)
        ]
    left_out = len(shared.names) - len(listed)
    rest = f" {left_out:,} pairs that share fewer images are not listed." if left_out else ""
    return table(
        "pairs",
        "Pair by pair",
        f"Each pair of annotators over the images they share.{rest}",
        (ResultColumn("annotators", "Annotators"), VARIABLE, ALPHA, IMAGES),
        rows,
    )


def _components(frame: ValuesFrame) -> Json:
    """Return alphas and prevalence of every component."""
    rows, unit = shared_rows(frame, np.arange(len(frame)))
    coders = len(np.unique(frame.codes("annotator")[rows]))
    lines = []
    for variable in frame.protocol.variables:
        for place, component in enumerate(variable.components):
            values = frame.values[variable.name][:, place : place + 1]
            alpha = alpha_of(values[rows], unit, variable, coders)
            given = float((values != 0).mean()) if len(values) else None
            lines.append([variable.title, component, alpha, given])
    return table(
        "by_component",
        "By component",
        "Alpha of each component. For rare components, alpha says little: see the prevalence.",
        (
            VARIABLE,
            ResultColumn("component", "Component"),
            ALPHA,
            ResultColumn(
                "prevalence", "Prevalence", "share", "share of all annotations in which it is not 0"
            ),
        ),
        lines,
    )


def _groups(frame: ValuesFrame, column: str, name: str, title: str) -> Json:
    codes, labels = frame.codes(column), frame.labels(column)
    largest = np.sort(np.argsort(-np.bincount(codes, minlength=len(labels)), kind="stable")[:LISTED])
    rows = []
    for code in largest.tolist():
        within, unit = shared_rows(frame, np.flatnonzero(codes == code))
        images = int(unit[-1]) + 1 if len(unit) else 0
        rows += [
            [labels[code], variable.title, alpha, images] for variable, alpha in _alphas(frame, within, unit)
        ]
    return table(
        name,
        title,
        "An annotation counts within its own group only.",
        (ResultColumn(column, title), VARIABLE, ALPHA, IMAGES),
        rows,
    )
