"""The ladder of agreement on flagged cells as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.estimates import shared_out
from analysis.tables.table import Cell, Heading, Table, count, name
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
GROUPS = {"overall": {}, "error_type": ERROR_TYPE_TITLES, "body_part": BODY_PART_TITLES}


def ladder_tables(ladder: Mapping[str, Any]) -> list[Table]:
    """Return the ladder over all cells, error types and body parts; nothing where nobody flagged a cell."""
    rows = [
        _row(entry, titles.get(entry["name"], "All cells"))
        for key, titles in GROUPS.items()
        for entry in ladder[key]
    ]
    if not ladder["overall"][0]["either"]:
        return []
    return [
        Table(
            slug="ladder",
            title="Where agreement is lost",
            words=(
                "For every cell that one of two annotators of an image flagged: how far do the two agree? "
                "Each column counts only what is left of the column before it, so the step at which a row "
                "falls is where agreement is lost. In brackets: the 95 % interval, from resampling images."
            ),
            headings=(
                Heading("Cells"),
                Heading("Flagged by either", numeric=True),
                *(Heading(title, numeric=True, hint=hint) for title, hint in RUNGS.values()),
            ),
            rows=tuple(rows),
        )
    ]


def _row(entry: Mapping[str, Any], title: str) -> tuple[Cell, ...]:
    return (name(title), count(entry["either"]), *(shared_out(entry["shares"][rung]) for rung in RUNGS))
