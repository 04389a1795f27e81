"""Which annotations a report counts, and why it does not count the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.counting import REASONS
from analysis.tables.findings import Finding
from analysis.tables.table import Heading, Table, count, name

WORDS: Final = (
    "Every submitted annotation is in the numbers of this report, or in a row that says why it is not. "
    "Drafts are not listed."
)


def answer_tables(result: Mapping[str, Any]) -> list[Table]:
    """The table of what is counted; none for a result stored before there was any."""
    found = result.get("answers")
    if found is None:
        return []
    rows = [("Submitted", found["submitted"]), ("Counted", found["counted"])]
    rows += [(f"Not counted: {_why(row)}", row["count"]) for row in found["not_counted"]]
    return [
        Table(
            slug="answers",
            title="Annotations counted",
            words=WORDS,
            headings=(Heading("Annotations"), Heading("Number", numeric=True)),
            rows=tuple((name(title), count(number)) for title, number in rows),
        )
    ]


def not_counted(result: Mapping[str, Any]) -> list[Finding]:
    """A sentence where something is not counted, for the head of a report."""
    found = result.get("answers")
    if not found or not found["not_counted"]:
        return []
    left_out = found["submitted"] - found["counted"]
    one = left_out == 1
    reasons = "; ".join(f"{row['count']:,} {_why(row)}" for row in found["not_counted"])
    of = f"{left_out:,} of {found['submitted']:,} submitted annotations {'is' if one else 'are'} not counted"
    return [Finding("note", f"{of}: {reasons}.")]


def _why(row: Mapping[str, Any]) -> str:
    """The reason in words; one that a later version stored stands as it is."""
    return REASONS.get(row["reason"], str(row["reason"]).replace("_", " "))
