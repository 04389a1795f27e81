"""The annotators report as tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from analysis.tables.comparison.summaries import severity_columns
from analysis.tables.estimates import estimated, shared_out
from analysis.tables.table import Table, column, count, name, table_of

INTERVALS = (
    "Brackets show the 95% interval from resampling images; it holds for these annotators and these prompts."
)
THIRDS = ("First", "Middle", "Last")
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
    """Return the tables: level and severity mix, comparison with others, and drift if times are known."""
    people = result["annotators"]
    tables = [_levels(people), _beside(people)]
    drifting = [entry for entry in people if entry["drift"]["slope"]]
    return [*tables, _drift(drifting, result["settings"]["drift_step"])] if drifting else tables


def _levels(people: list[Mapping[str, Any]]) -> Table:
    return table_of(
        "levels",
        "Level and severities",
        "How high each annotator scores and which severities they choose, over all their images. "
        f"Differences reflect both leniency and the images assigned. {INTERVALS}",
        (
            ANNOTATOR,
            column(count, "Images", "images"),
            column(estimated, "Mean score", "level", "cumulative score; 0 is no error"),
            column(partial(estimated, places=1), "Marks an image", "marks"),
            *severity_columns(shared_out, "severity_mix"),
        ),
        people,
    )


def _beside(people: list[Mapping[str, Any]]) -> Table:
    return table_of(
        "beside_others",
        "Comparison with others on the same images",
        "Differences from the other annotators of the same images. They depend on who the others are: next "
        f"to a strict partner anybody looks lenient, and two annotators can both be wrong. {INTERVALS}",
        (ANNOTATOR, column(count, "Shared images", "shared_images"), *BESIDE),
        people,
    )


def _drift(people: list[Mapping[str, Any]], step: int) -> Table:
    slope = partial(estimated, places=3)
    return table_of(
        "drift",
        "Drift",
        "Whether an annotator's scores rise or fall in the order of submission. An interval that "
        f"excludes 0 is a reason to check, not proof: later images may differ. {INTERVALS}",
        (
            ANNOTATOR,
            column(count, "Images", "drift.images", "with a known submission time"),
            column(slope, f"Change per {step} images", "drift.slope", "of the cumulative score"),
            *(
                column(estimated, f"{part} third", partial(_third, place))
                for place, part in enumerate(THIRDS)
            ),
        ),
        people,
    )


def _third(place: int, entry: Mapping[str, Any]) -> Any:
    return entry["drift"]["thirds"][place]
