"""The annotations a report counts, and why others are not counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.data.counting import NOTHING_READ, REASONS
from analysis.tables.table import Heading, Table, count, name
from analysis.tables.wording import Finding, counted

TITLE: Final = "Annotations counted"
WORDS: Final = (
    "Every submitted annotation is either counted in this report or listed with the reason it is not. "
    "Drafts are not listed."
)


def counted_rows(result: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the numbers of submitted and counted annotations; none for a kind of report that counts none."""
    answers = result.get("answers")
    if answers is None:
        return []
    rows = [("Submitted", answers["submitted"]), ("Counted", answers["counted"])]
    rows += [(f"Not counted: {_why(row)}", row["count"]) for row in answers["not_counted"]]
    return rows + [(title, result[key]["answers"]) for key, (title, _) in _APART.items() if result.get(key)]


def counted_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the table of counted annotations, if there are numbers."""
    rows = tuple((name(title), count(number)) for title, number in counted_rows(result))
    headings = (Heading("Annotations"), Heading("Number", numeric=True))
    return [Table("answers", TITLE, WORDS, headings, rows)] if rows else []


def not_counted(result: Mapping[str, Any]) -> list[Finding]:
    """Return findings on annotations that are not counted, or not counted everywhere."""
    answers = result.get("answers")
    said = [_left_out(answers)] if answers and answers["not_counted"] else []
    said += [say(**result[key]) for key, (_, say) in _APART.items() if result.get(key)]
    return [Finding("note", text) for text in said]


def not_read(result: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many annotations count without some unreadable terms, and how many have none to read."""
    answers = result.get("answers", {})
    rows = [row for row in answers.get("not_counted", ()) if row["reason"] == NOTHING_READ]
    return answers.get("partly_unread", 0), sum(row["count"] for row in rows)


def _left_out(found: Mapping[str, Any]) -> str:
    left_out = found["submitted"] - found["counted"]
    alone = left_out == 1
    reasons = "; ".join(f"{row['count']:,} {_why(row)}" for row in found["not_counted"])
    of = (
        f"{left_out:,} of {found['submitted']:,} submitted annotations {'is' if alone else 'are'} not counted"
    )
    return f"{of}: {reasons}."


def _not_at_random(answers: int, images: int) -> str:
    alone = answers == 1
    return (
        f"{counted(answers, 'annotation')} on {counted(images, 'image')} "
        f"{'was' if alone else 'were'} requested because of earlier annotations of the image. Comparisons "
        f"between annotators leave {'it' if alone else 'them'} out, because selected images would bias them."
    )


def _mixed(answers: int, images: int) -> str:
    return (
        f"{counted(images, 'image')} with {counted(answers, 'annotation')}: only some annotators saw a "
        "suggestion. Agreement leaves them out, because a suggestion brings those who see it together."
    )


def _unknown(answers: int, images: int) -> str:
    alone = images == 1
    return (
        f"Drawn at random: unknown for {counted(images, 'image')} with "
        f"{counted(answers, 'imported annotation')}. If {'it was' if alone else 'they were'} selected, "
        "agreement does not generalise to the other images. State it by importing the file again."
    )


_ELSEWHERE: Final = "Counted, but not where annotators are compared:"
_APART: Final[Mapping[str, tuple[str, Callable[..., str]]]] = {
    "targeted": (
        f"{_ELSEWHERE} requested because of earlier annotations of the image",
        _not_at_random,
    ),
    "mixed_arms": (
        f"{_ELSEWHERE} of images of which only some annotators saw a suggestion",
        _mixed,
    ),
    "drawn_unknown": ("Counted: of several on an image, drawn at random: unknown", _unknown),
}
"""What counts with a remark, by its key in a result: the title of its row, and its sentence."""


def _why(row: Mapping[str, Any]) -> str:
    """Return the reason as text; an unknown one of a later version is shown as stored."""
    return REASONS.get(row["reason"], str(row["reason"]).replace("_", " "))
