"""The ladder of agreement on marked cells as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.estimates import shared_out
from analysis.tables.table import Table, column, count, name, table_of
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES

RUNGS = {
    "both": ("Both marked it", "cells marked by both, of those marked by either annotator"),
    "same_affected": ("Same number", "of those, both entered the same number of affected parts"),
    "same_total": ("Same total", "and the same total"),
    "same_severity": (
        "Same severity",
        "and the same severity for each part: the two agree in every term",
    ),
}
GROUPS = ("overall", "error_type", "body_part")
TITLES = {"all cells": "All cells", **ERROR_TYPE_TITLES, **BODY_PART_TITLES}


def ladder_tables(ladder: Mapping[str, Any]) -> list[Table]:
    """Return the ladder over all cells, error types and body parts; nothing if no cell was marked."""
    if not ladder["overall"][0]["either"]:
        return []
    return [
        table_of(
            "ladder",
            "Where agreement is lost",
            "How far two annotators agree on each cell that either marked. Each column counts only cells "
            "that remain from the previous column, so a drop shows where agreement is lost. Brackets show "
            "the 95% interval from resampling images.",
            (
                column(name, "Cells", lambda entry: TITLES[entry["name"]]),
                column(count, "Marked by either", "either"),
                *(column(shared_out, title, f"shares.{rung}", hint) for rung, (title, hint) in RUNGS.items()),
            ),
            [entry for key in GROUPS for entry in ladder[key]],
        )
    ]
