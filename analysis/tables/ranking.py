"""Sentences and methods of a ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.tables.comparison.finding import LEVEL, Finding, is_clear, joint, sharper
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, counted, other_way, p_value
from scoring.rounding import percent

Result = Mapping[str, Any]
Row = Mapping[str, Any]
NAMED: Final = 3


def _design(row: Row, _: Result) -> Finding:
    return Finding("note", row["note"])


def _apart(row: Row, result: Result) -> Finding:
    gap, higher = row["difference"], result["ranking"]["higher_is_better"]
    if row["p_holm"] is None:
        return Finding("refused", f"{row['a']} and {row['b']}: not compared: {gap['refused']}.")
    prompts, p = counted(row["prompts_shared"], "common prompt"), f"Holm-corrected {p_value(row['p_holm'])}"
    if row["p_holm"] >= LEVEL:
        told = f"{joint(row)} over {prompts}, {p}"
        return Finding("open", f"{row['a']} and {row['b']} are not ranked apart: {told}.")
    found = row if (gap["value"] > 0) == higher else other_way(row)
    text = f"{found['a']} is ranked above {found['b']}: {joint(found)} over {prompts}, {p}.{sharper(found)}"
    return Finding("clear", text)


RANKING: Final[Mapping[str, Callable[[Row, Result], Finding]]] = {"design": _design, "apart": _apart}


def rows_of(result: Result, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table by column; none if the result lacks it."""
    for table in result["tables"]:
        if table["name"] == name:
            keys = [column["name"] for column in table["columns"]]
            return [dict(zip(keys, row, strict=True)) for row in table["rows"]]
    return []


def ranking_line(section: str, result: Result) -> tuple[str, str] | None:
    """Return the result of a section of tables in a line, and how much is behind it."""
    rows = rows_of(result, section)
    told = next((table.get("line") for table in result["tables"] if table["name"] == section), None)
    if told:
        return told, counted(len(rows), "row")
    if section == "generators" and rows and "mean" in rows[0]:
        known = [row for row in rows if row["mean"]["value"] is not None]
        shown = ", ".join(f"{_name(row)} {rounded(row['mean']['value'], PLACES)}" for row in known[:NAMED])
        return f"{shown}{' and others' if len(known) > NAMED else ''}", counted(len(rows), "generator")
    if section == "generator_comparisons" and rows:
        apart = sum(map(is_clear, rows))
        pairs = counted(len(rows), "pair")
        verb = "are ranked apart" if "ranking" in result else "differ clearly"
        if apart == 1:
            verb = verb.replace("are", "is").replace("differ", "differs")
        return f"{apart} of {pairs} {verb}", counted(len(rows), "test")
    if section == "ranks" and rows:
        first = max(rows, key=lambda row: row["rank 1"])
        drawn = counted(result["ranking"]["resamples"], "resample")
        return f"{_name(first)} is first in {percent(first['rank 1'])}% of resamples of the prompts", drawn
    return None


def _name(row: Row) -> str:
    return row["generator"] or "(none)"


def ranking_methods(result: Result) -> str:
    """Return the methods paragraph of a ranking."""
    about = result["ranking"]
    title, better = about["title"], "higher" if about["higher_is_better"] else "lower"
    if about["exact"]:
        drawn = f"all {about['drawn']:,} resamples of the prompts"
    else:
        drawn = f"{about['drawn']:,} seeded resamples of the prompts"
    ranks = f" Rank intervals hold the middle 95% of ranks over {drawn}." if about["drawn"] else ""
    return (
        f"Generators were ranked by “{title}”, of which {better} values are better. The unit is the prompt: "
        "a generator's images of a prompt were averaged, then its prompts with equal weight; intervals are "
        "Student's over prompts. Differences are paired over the prompts that both generators have, with "
        f"Holm's correction; joint intervals with Bonferroni's (Dunn 1961).{ranks}"
    )
