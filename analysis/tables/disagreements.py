"""The images that annotators judged most differently, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.table import Cell, Heading, Table, count, name, number

SHOWN = 20


def disagreement_table(found: Mapping[str, Any]) -> Table:
    """Return the first of the disagreements; the page has all of them, with the images."""
    return Table(
        slug="disagreements",
        title="Furthest apart",
        words=f"The images judged most differently, in the order of {found['order']}.",
        headings=(
            Heading("Image"),
            Heading("Annotators"),
            Heading("Scores", numeric=True),
            Heading("Difference", numeric=True),
            Heading("Cells flagged by one", numeric=True),
        ),
        rows=tuple(_row(entry) for entry in found["rows"][:SHOWN]),
    )


def _row(entry: Mapping[str, Any]) -> tuple[Cell, ...]:
    number_in_group = f" {entry['number']}" if entry["number"] else ""
    return (
        name(f"{entry['generator']}, {entry['prompt']}{number_in_group}"),
        Cell(" – ".join(entry["annotators"])),
        Cell(" – ".join(number(score, 2).text for score in entry["scores"]), numeric=True),
        number(entry["difference"], 2),
        count(entry["one_sided"]),
    )
