"""The images with the largest disagreements, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from analysis.tables.table import Table, TableCell, column, count, name, number, rounded, table_of

SHOWN = 20


def disagreement_table(found: Mapping[str, Any]) -> Table:
    """Return the largest disagreements; the page shows all of them with their images."""
    return table_of(
        "disagreements",
        "Largest disagreements",
        f"Ordered by {found['order']}.",
        (
            column(name, "Image", _image),
            column(name, "Annotators", lambda entry: " – ".join(entry["annotators"])),
            column(_both, "Scores", "scores"),
            column(partial(number, places=2), "Difference", "difference"),
            column(count, "Cells marked by one only", "one_sided"),
        ),
        found["rows"][:SHOWN],
    )


def _image(entry: Mapping[str, Any]) -> str:
    number_in_group = f" {entry['number']}" if entry["number"] else ""
    return f"{entry['generator']}, {entry['prompt']}{number_in_group}"


def _both(scores: Sequence[float]) -> TableCell:
    return TableCell(" – ".join(rounded(score, 2) for score in scores), numeric=True)
