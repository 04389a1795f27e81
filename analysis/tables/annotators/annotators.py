"""The annotators report as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.estimates import estimated, shared_out
from analysis.tables.table import Table, column, count, name, table_of

INTERVALS = (
    "Brackets show the 95% interval from resampling images; it holds for these annotators and these prompts."
)
ANNOTATOR = column(name, "Annotator", "annotator")
BESIDE = (
    column(
        estimated,
        "Score against others",
        "against_others",
        "own score minus the others' score on the same images",
    ),
    column(
        estimated,
        "Severity against others",
        "severity_step",
        "in cells that both marked: 1 is one step more severe than the other in every cell, −1 one milder",
    ),
    column(
        shared_out,
        "Found",
        "found",
        "share of the cells marked by another annotator that this one also marked",
    ),
    column(
        shared_out, "Alone", "alone", "share of the own marked cells that the other annotator did not mark"
    ),
)


def annotator_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the table: each annotator compared with others."""
    return [_beside(result["annotators"])]


def _beside(people: list[Mapping[str, Any]]) -> Table:
    return table_of(
        "beside_others",
        "Comparison with others on the same images",
        "Differences from the other annotators of the same images. They depend on who the others are: next "
        f"to a strict partner anybody looks lenient, and two annotators can both be wrong. {INTERVALS}",
        (
            ANNOTATOR,
            column(count, "Images", "images"),
            column(count, "Shared images", "shared_images"),
            *BESIDE,
        ),
        people,
    )
