"""Rows of results that are lists of tables, and the line of each of their sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from analysis.stats.comparison import is_clear
from analysis.stats.generic.tables import rows_of
from analysis.tables.wording import PLACES, counted, named, rounded
from scoring.rounding import percent

Result = Mapping[str, Any]
Row = Mapping[str, Any]
NAMED: Final = 3


class Line(NamedTuple):
    """The result of a section in one sentence, without a full stop, and how much is behind it (`3 tests`)."""

    text: str
    size: str = ""


def line_of(section: str, result: Result) -> Line | None:
    """Return the line of a section, shown while it is folded; None without one."""
    if section == "answers" and result.get("answers"):
        return Line(*_counting(result))
    return Line(*made) if (made := _listed_line(section, result)) else None


def _listed_line(section: str, result: Result) -> tuple[str, str] | None:
    """Return the result of a section of tables in a line, and how much is behind it."""
    rows = rows_of(result, section)
    told = next((table.get("line") for table in result["tables"] if table["name"] == section), None)
    if told:
        return told, counted(len(rows), "row")
    if section == "generators" and rows and "mean" in rows[0]:
        known = sorted(
            (row for row in rows if row["mean"]["value"] is not None),
            key=lambda row: float(row["mean"]["value"]),
            reverse=result["settings"]["higher_is_better"],
        )
        shown = ", ".join(
            f"{named(row['generator'])} {rounded(row['mean']['value'], PLACES)}" for row in known[:NAMED]
        )
        return f"{shown}{' and others' if len(known) > NAMED else ''}", counted(len(rows), "generator")
    if section == "agreement":
        known = [row for row in rows if row["pooled"]["value"] is not None]
        first = [f"{row['variable']} {rounded(row['pooled']['value'], PLACES)}" for row in known[:NAMED]]
        return ", ".join(first), counted(len(rows), "measure")
    if section == "pairs" and (known := [row for row in rows if row["agreement"]["value"] is not None]):
        title = known[0]["variable"]
        values = [row["agreement"]["value"] for row in known if row["variable"] == title]
        ends = dict.fromkeys(rounded(end, PLACES) for end in (min(values), max(values)))
        return f"{title}: {' to '.join(ends)}", counted(len(values), "pair")
    if section == "differences":
        return _differences(result, rows)
    if section == "prompts" and (known := [row for row in rows if row["mean"]["value"] is not None]):
        means = {row["prompt"]: float(row["mean"]["value"]) for row in known}
        most, size = max(means, key=lambda prompt: means[prompt]), counted(len(rows), "prompt")
        value = rounded(means[most], PLACES)
        if means[most] == min(means.values()):
            return f"Mean of every prompt: {value}" if len(means) > 1 else f"{named(most)}: {value}", size
        return f"Highest mean: {named(most)}, {value}", size
    if section == "errors" and (parts := rows_of(result, "body_parts")):
        return _most_errors(rows_of(result, "error_types"), parts), ""
    return None


def _most_errors(*tables: list[dict[str, Any]]) -> str:
    """Return the error type and the body part with the largest mean, and their shares of all."""
    largest = []
    for rows in tables:
        means = {next(iter(row.values())): float(row["mean"]["value"] or 0) for row in rows}
        name, total = max(means, key=lambda key: means[key]), sum(means.values())
        if not total:
            return "No error adds to the score"
        largest.append(f"{name} ({percent(means[name] / total)}%)")
    return f"Largest part of the score: {'; '.join(largest)}"


def _differences(result: Result, rows: list[dict[str, Any]]) -> tuple[str, str]:
    if reason := result["model"]["refused"]:
        return f"No verdict: {reason}", ""
    apart = sum(is_clear(row["p_holm"]) for row in rows)
    if not apart:
        return "No pair differs clearly", counted(len(rows), "pair")
    verb = "differs" if apart == 1 else "differ"
    return f"{apart} of {counted(len(rows), 'pair')} {verb} clearly", counted(len(rows), "pair")


def _counting(result: Result) -> tuple[str, str]:
    """Return how many of the submitted annotations count."""
    answers = result["answers"]
    text = f"{answers['counted']:,} of {answers['submitted']:,} submitted annotations count"
    return text, counted(len(answers["not_counted"]), "reason") if answers["not_counted"] else ""
