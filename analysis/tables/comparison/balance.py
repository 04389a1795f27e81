"""Who judged what, and the means adjusted for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from analysis.tables.comparison.generator_tests import TESTED
from analysis.tables.estimates import estimated
from analysis.tables.table import Column, Table, TableCell, column, count, name, number, table_of

COLUMNS: Final = 12
"""More columns of counts than these do not fit on a page."""

Result = Mapping[str, Any]


def balance_tables(result: Result) -> list[Table]:
    """Return annotations by annotator and generator, and by prompt and annotator."""
    found = result["balance"]
    by_prompt = [list(row) for row in zip(*found["prompt_counts"], strict=True)]
    return [
        _table(
            "balance",
            "Annotations by annotator and generator",
            f"{found['words']} {_left_out(found['annotators_left_out'], 'annotators')}",
            ("Annotator", found["annotators"], found["counts"]),
            ("generators", found["generators"]),
        ),
        _table(
            "balance_prompts",
            "Annotations by prompt and annotator",
            f"{_PROMPTS[found['spread']['annotators_by_prompt']['state']]} "
            f"{_left_out(found['prompts_left_out'], 'prompts')}",
            ("Prompt", found["prompts"], by_prompt),
            ("annotators", found["annotators"]),
        ),
    ]


_PROMPTS: Final = {
    "even": "The prompts are spread evenly over the annotators.",
    "chance": "The prompts are spread unevenly over the annotators, as by chance. Raw means of prompts are "
    "partly differences between annotators: compare the adjusted means.",
    "skewed": "The prompts are spread unevenly over the annotators, more than by chance. Raw means of "
    "prompts are partly differences between annotators: compare the adjusted means.",
}


def _left_out(count_: int, what: str) -> str:
    return f"{count_:,} {what} with fewer annotations are not listed." if count_ else ""


def _table(
    slug: str,
    title: str,
    words: str,
    rows: tuple[str, Sequence[str], Sequence[Sequence[int]]],
    columns: tuple[str, Sequence[str]],
) -> Table:
    """Return a table of counts, with the total and, beyond some columns, only the range of each row."""
    heading, names, counts = rows
    of_each: list[Column] = [
        column(partial(_at, place), label or "(none)", "counts") for place, label in enumerate(columns[1])
    ]
    if len(of_each) > COLUMNS:
        shown = f"With {len(of_each):,} {columns[0]}, only the range is shown; the JSON has all counts."
        words = f"{words.strip()} {shown}"
        of_each = [column(count, "Fewest", _fewest), column(count, "Most", _most)]
    return table_of(
        slug,
        title,
        words.strip(),
        (column(name, heading, "name"), *of_each, column(count, "Total", lambda row: sum(row["counts"]))),
        [{"name": one, "counts": found} for one, found in zip(names, counts, strict=True)],
    )


def _at(place: int, counts: Sequence[int]) -> TableCell:
    return count(counts[place])


def _fewest(row: Mapping[str, Any]) -> int:
    return int(min(row["counts"]))


def _most(row: Mapping[str, Any]) -> int:
    return int(max(row["counts"]))


def adjusted_tables(result: Result) -> list[Table]:
    """Return adjusted differences and means of generators, and means of prompts; none if refused."""
    found = result["adjusted"]
    if found["refused"] is not None:
        return []
    taken_out = " and ".join(found["adjusted_for"])
    raw = {entry["generator"]: entry for entry in result["generators"]}
    return [
        table_of(
            "adjusted_differences",
            "Adjusted differences between generators",
            "The differences as if the same annotators had judged the same prompts of every generator: least "
            f"squares over images, adjusted for {taken_out}, with standard errors clustered by image. "
            "Adjudicated values are excluded, because no single annotator made them.",
            TESTED,
            found["pairs"],
        ),
        table_of(
            "adjusted_means",
            "Adjusted means of generators",
            f"Each generator's mean score per image, adjusted for {taken_out}: over the mix of all images.",
            (
                column(name, "Generator", "generator"),
                column(estimated, "Adjusted mean", "mean", "with the 95% interval"),
                column(
                    _raw, "Raw mean", lambda row: raw[row["generator"]]["image_mean"]["value"], "over images"
                ),
            ),
            found["means"],
        ),
        _prompts(result, found),
    ]


def _prompts(result: Result, found: Result) -> Table:
    raw = {entry["prompt"]: entry for entry in result["prompts"]}
    return table_of(
        "adjusted_prompts",
        "Adjusted means of prompts",
        "Each prompt's mean score as if the same annotators had judged the same generators of every prompt. "
        "Over images, and over annotations as in the published study.",
        (
            column(name, "Prompt", "prompt"),
            column(estimated, "Adjusted mean", "mean", "over images, with the 95% interval"),
            column(_raw, "Raw mean", lambda row: raw[row["prompt"]]["image_mean"]["value"], "over images"),
            column(
                _value, "Adjusted, by annotation", "annotation_mean", "a doubly annotated image counts twice"
            ),
            column(_raw, "Raw, by annotation", lambda row: raw[row["prompt"]]["mean"]),
        ),
        found["prompts"],
    )


def _raw(value: float) -> TableCell:
    return number(value, 2)


def _value(found: Mapping[str, Any]) -> TableCell:
    return number(found["value"], 2)
