"""The annotators report as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.estimates import estimated, shared_out
from analysis.tables.table import Cell, Heading, Table, count, name
from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES

INTERVALS = "In brackets: the 95 % interval, from resampling images."
# Result key -> heading, what it says.
BESIDE = {
    "against_others": ("Score against others", "own score minus that of the others on the same images"),
    "severity_step": (
        "Severity against others",
        "in cells that both flagged: 1 is one step more severe than the other in every cell, −1 one milder",
    ),
    "found": ("Found", "share of the cells flagged by another annotator that this one flagged too"),
    "alone": ("Alone", "share of the own flagged cells that the other annotator did not flag"),
}
SHARES = {"found", "alone"}


def annotator_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the tables: level and severity mix, beside others, drift where times are known."""
    people = result["annotators"]
    tables = [_levels(people), _beside(people)]
    drifting = [entry for entry in people if entry["drift"]["slope"]]
    return [*tables, _drift(drifting, result["settings"]["drift_step"])] if drifting else tables


def _levels(people: list[Mapping[str, Any]]) -> Table:
    return Table(
        slug="levels",
        title="Level and severities",
        words=(
            "How high each annotator scores and which severities they choose, over all of their images. "
            f"Differences come from leniency and from the images that each was given. {INTERVALS}"
        ),
        headings=(
            Heading("Annotator"),
            Heading("Images", numeric=True),
            Heading("Mean score", numeric=True, hint="cumulative score; 0 is no error"),
            Heading("Marks an image", numeric=True),
            *(
                Heading(
                    f"Severity {severity}", numeric=True, severity=severity, meaning=SEVERITY_TITLES[severity]
                )
                for severity in SEVERITIES
            ),
        ),
        rows=tuple(
            (
                name(entry["annotator"]),
                count(entry["images"]),
                estimated(entry["level"]),
                estimated(entry["marks"], 1),
                *(shared_out(entry["severity_mix"][severity]) for severity in SEVERITIES),
            )
            for entry in people
        ),
    )


def _beside(people: list[Mapping[str, Any]]) -> Table:
    return Table(
        slug="beside_others",
        title="Beside other annotators of the same images",
        words=(
            "What does not depend on the images that somebody was given: differences to whoever judged the "
            f"same images. The others are no truth: two annotators can be wrong together. {INTERVALS}"
        ),
        headings=(
            Heading("Annotator"),
            Heading("Shared images", numeric=True),
            *(Heading(title, numeric=True, hint=hint) for title, hint in BESIDE.values()),
        ),
        rows=tuple(
            (
                name(entry["annotator"]),
                count(entry["shared_images"]),
                *map(_cell, BESIDE, [entry] * len(BESIDE)),
            )
            for entry in people
        ),
    )


def _cell(key: str, entry: Mapping[str, Any]) -> Cell:
    return shared_out(entry[key]) if key in SHARES else estimated(entry[key])


def _drift(people: list[Mapping[str, Any]], step: int) -> Table:
    return Table(
        slug="drift",
        title="Drift",
        words=(
            "Whether scores rise or fall in the order in which an annotator worked. An interval that "
            f"leaves out 0 is a reason to look, not a verdict: later images may differ. {INTERVALS}"
        ),
        headings=(
            Heading("Annotator"),
            Heading("Images", numeric=True, hint="whose time of answer is known"),
            Heading(f"Change per {step} images", numeric=True, hint="of the cumulative score"),
            *(Heading(text, numeric=True) for text in ("First third", "Middle third", "Last third")),
        ),
        rows=tuple(
            (
                name(entry["annotator"]),
                count(entry["drift"]["images"]),
                estimated(entry["drift"]["slope"], 3),
                *map(estimated, entry["drift"]["thirds"]),
            )
            for entry in people
        ),
    )
