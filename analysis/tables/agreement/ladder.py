"""The ladder of agreement on flagged cells as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.estimates import shared_out
from analysis.tables.table import Table, column, count, name, table_of
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES

RUNGS = {
    "both": ("Both saw it", "of the cells that one of two annotators flagged, those that both flagged"),
    "same_affected": ("Same number", "and of those both counted the same number of affected parts"),
    "same_total": ("Same total", "and gave the same total"),
    "same_severity": (
        "Same severity",
        "and gave each severity to as many parts out of as many: the two agree in every term",
    ),
}
GROUPS = ("overall", "error_type", "body_part")
TITLES = {"all cells": "All cells", **ERROR_TYPE_TITLES, **BODY_PART_TITLES}


def ladder_tables(ladder: Mapping[str, Any]) -> list[Table]:
    """Return the ladder over all cells, error types and body parts; nothing where nobody flagged a cell."""
    if not ladder["overall"][0]["either"]:
        return []
    return [
        table_of(
            "ladder",
            "Where agreement is lost",
            "For every cell that one of two annotators of an image flagged: how far do the two agree? "
            "Each column counts only what is left of the column before it, so the step at which a row "
            "falls is where agreement is lost. In brackets: the 95 % interval, from resampling images.",
            (
                column(name, "Cells", lambda entry: TITLES[entry["name"]]),
                column(count, "Flagged by either", "either"),
                *(column(shared_out, title, f"shares.{rung}", hint) for rung, (title, hint) in RUNGS.items()),
            ),
            [entry for key in GROUPS for entry in ladder[key]],
        )
    ]
