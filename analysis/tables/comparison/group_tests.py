"""Tests between prompts, prompt groups, error types and body parts as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from analysis.tables.comparison.generator_tests import TESTED
from analysis.tables.comparison.summaries import TITLES
from analysis.tables.table import Table, column, number, rounded, table_of
from analysis.tables.wording import lower_first, p_value

_OF_IMAGES: Final = (
    "Welch's t test over images, as between generators, and an overall test that also takes out the "
    "generators. It applies to these prompts only."
)
_PAIRED: Final = (
    "Parts of one image's score belong together, so the tests are paired over images; the overall test is "
    "that of repeated measures (Greenhouse and Geisser)."
)
# Key of the tests, slug of the table, name of a label, title, description.
_KINDS: Final = (
    ("prompts", "prompt_tests", "prompt", "Differences between prompts", _OF_IMAGES),
    ("prompt_groups", "prompt_group_tests", "prompt_group", "Differences between prompt groups", _OF_IMAGES),
    ("error_types", "error_type_tests", "error_type", "Differences between error types", _PAIRED),
    ("body_parts", "body_part_tests", "body_part", "Differences between body parts", _PAIRED),
)


def group_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return a table of pairs for each kind of group, smallest p first."""
    return [_table(result["group_tests"][key], *about) for key, *about in _KINDS]


def _table(found: Mapping[str, Any], slug: str, label: str, title: str, words: str) -> Table:
    titles = TITLES.get(label, {})
    pairs = [lower_first(pair) for pair in found["pairs"]]
    named = [
        {**pair, "a": titles.get(pair["a"], pair["a"]), "b": titles.get(pair["b"], pair["b"])}
        for pair in pairs
    ]
    heading, make = TESTED[0]
    columns = [(replace(heading, text=title.rpartition("between ")[2].capitalize()), make), *TESTED[1:]]
    if label == "prompt":
        columns.append(
            column(
                lambda test: number(test["t"], 2, undefined="no test"),
                "t, by annotation",
                "by_annotation",
                "as in the published study: a doubly annotated image counts twice",
            )
        )
    return table_of(slug, title, f"{words} {_overall(found)} {_counts(found)}".rstrip(), columns, named)


def _overall(found: Mapping[str, Any]) -> str:
    test = found["overall"]
    if test["refused"] is not None:
        return f"The overall test cannot be computed: {test['refused']}."
    df = ", ".join(rounded(value, 0 if value == int(value) else 1) for value in (test["df1"], test["df2"]))
    return f"Overall: F({df}) = {rounded(test['f'], 2)}, {p_value(test['p'])}."


def _counts(found: Mapping[str, Any]) -> str:
    if found["refused"] is not None:
        return f"Pairs are not tested: {found['refused']}."
    text = f"{found['clear']:,} of {found['tested']:,} pairs differ clearly (Holm-corrected p below 0.05)."
    if found["pairs_left_out"]:
        text += f" Listed are the {len(found['pairs']):,} pairs with the smallest p."
    return text
