"""The numbers of the anatomy protocol, from the counts of its marks, and its description in a bundle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import orjson
from django.db.models.fields.json import KeyTextTransform, KeyTransform

from analysis.protocols.interface import Numbers, Row
from annotator.models import Project
from annotator.protocols.anatomy.guide_texts import (
    BODY_PART_DEFINITIONS,
    COUNT_DEFINITIONS,
    ERROR_TYPE_DEFINITIONS,
    FACE_BLUR,
    GENERAL_REMINDERS,
    SEVERITY_DEFINITIONS,
)
from scoring.anatomy.protocol import ANATOMY
from scoring.grid.notation import LARGEST_COUNT
from scoring.grid.taxonomy import (
    BODY_PART_TITLES,
    BODY_PARTS,
    CELLS,
    ERROR_TYPE_TITLES,
    ERROR_TYPES,
    SEVERITIES,
    SEVERITY_TITLES,
    Cell,
)
from scoring.protocol import Payload, Protocol

if TYPE_CHECKING:
    from analysis.stats.frames import AnnotationTable, Floats, RatedAnnotation

SOURCE: Final = (
    "P. Muhr et al. (2024), Evaluating text-to-image generated photorealistic images of human anatomy, "
    "Cureus 16(11), e74193."
)
NOTATION: Final = {
    "term": "affected/total and a severity, such as 1/4c: one of four, severely",
    "cell": "terms joined by commas, each severity at most once, such as 1/3b,1/3c; empty without an error",
    "numbers": f"1 ≤ affected ≤ total ≤ {LARGEST_COUNT}, whole numbers in ASCII digits without leading zeros",
}
SCORES: Final = {
    "error_fraction": "affected / total (Equation 1)",
    "cell_score": "sum over the terms of a cell of error fraction × weight of the severity",
    "cumulative_score": "sum of the 25 cell scores (Equation 2)",
}
# Only what numbers need is read: the first rating's value (the cumulative score) and the marks with their
# counts, which ratings hold in lowest terms.
SCORE: Final = KeyTextTransform(2, KeyTransform(0, "ratings"))
MARKS: Final = KeyTextTransform("marks", "payload")
_PLACES: Final = {(cell.error_type, cell.body_part): place for place, cell in enumerate(CELLS)}
_PARSED: Final = 200
# Position of the marks in a row, from its end.
_MARKS: Final = -3


def told(_: Protocol, project: Project) -> dict[str, Any]:
    """Return the protocol with the project's weights."""
    return {
        "protocol": ANATOMY.slug,
        "version": ANATOMY.version,
        "title": ANATOMY.title,
        "source": SOURCE,
        "error_types": _named(ERROR_TYPES, ERROR_TYPE_TITLES, ERROR_TYPE_DEFINITIONS),
        "body_parts": _named(BODY_PARTS, BODY_PART_TITLES, BODY_PART_DEFINITIONS),
        "severities": [
            severity | {"weight": str(project.weights[severity["name"]])}
            for severity in _named(SEVERITIES, SEVERITY_TITLES, SEVERITY_DEFINITIONS)
        ],
        "counts": [{"name": name, "definition": text} for name, text in COUNT_DEFINITIONS.items()],
        "cells": [_cell(cell) for cell in CELLS],
        "notation": NOTATION,
        "scores": SCORES,
        "rules": [*(f"{rule} {words}" for rule, words in GENERAL_REMINDERS), FACE_BLUR],
    }


def _named(names: Any, titles: Any, definitions: Any) -> list[dict[str, str]]:
    return [{"name": name, "title": titles[name], "definition": definitions[name]} for name in names]


def _cell(cell: Cell) -> dict[str, str]:
    return {
        "key": cell.key,
        "heading": cell.heading,
        "title": cell.title,
        "error_type": cell.error_type,
        "body_part": cell.body_part,
        "total_counts": cell.count_kind,
    }


def _frame(chunks: Iterable[list[Row]], project: Project, *_: str) -> AnnotationTable:
    from analysis.stats.frames import build_frame

    return build_frame(_with_marks(chunks), project.exact_weights)


def _with_marks(chunks: Iterable[list[Row]]) -> Iterator[RatedAnnotation]:
    from analysis.stats.building import RatedAnnotation

    for rows in chunks:
        for start in range(0, len(rows), _PARSED):
            part = rows[start : start + _PARSED]
            # Parsing marks as one text halves the time; few at once stay in the processor's cache.
            marks = orjson.loads(f"[{','.join(row[_MARKS] or '[]' for row in part)}]")
            for (*description, score, _, number, pk), marks_of_row in zip(part, marks, strict=True):
                ratings = [] if score is None else [("cumulative_score", "", score)]
                yield RatedAnnotation._make([*description, ratings, number or 0, pk, marks_of_row])


def _decided(_: str, payload: Payload, __: list[list[str]]) -> Floats:
    """Return (25, 3) unweighted error fractions; see `cells.fractions_by`."""
    import numpy as np

    fractions = np.zeros((len(CELLS), len(SEVERITIES)))
    for mark in payload["marks"]:
        place = _PLACES[mark["type"], mark["part"]]
        fractions[place, SEVERITIES.index(mark["severity"])] = mark["affected"] / mark["total"]
    return fractions


def severities_of(ratings: Iterable[Sequence[Any]]) -> dict[str, list[int]]:
    """Return the severities of each marked cell, as places in a, b, c, ascending."""
    places_by_cell: dict[str, list[int]] = defaultdict(list)
    for variable, component, _ in ratings:
        if variable == "error_fraction":
            cell, _, severity = component.rpartition(".")
            places_by_cell[cell].append(SEVERITIES.index(severity))
    return {cell: sorted(places) for cell, places in places_by_cell.items()}


NUMBERS: Final = Numbers(
    fields=(SCORE, MARKS),
    frame=_frame,
    computations={
        "agreement": "analysis.protocols.anatomy.agreement.anatomy_agreement",
        "comparison": "analysis.protocols.anatomy.comparison.anatomy_comparison",
    },
    told=told,
    decided=_decided,
    # Only comparisons use adjudicated values, because no annotator made them.
    using_adjudicated=frozenset({"comparison"}),
    severities=severities_of,
    severity_names=SEVERITIES,
)
