"""The protocol as data: the annotators' task and the scoring."""

from __future__ import annotations

from typing import Any, Final

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
from scoring.protocol import Protocol

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
            each | {"weight": str(project.weights[each["name"]])}
            for each in _named(SEVERITIES, SEVERITY_TITLES, SEVERITY_DEFINITIONS)
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
