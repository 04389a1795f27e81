"""The mixed model and the generators crossed with prompts as tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from analysis.tables.comparison.generator_tests import TESTED
from analysis.tables.estimates import estimated, shared_out
from analysis.tables.table import Table, TableCell, column, count, name, rounded, table_of
from analysis.tables.wording import p_value

PLACES = 2
COMPONENTS: Final = {
    "annotator": ("Annotator", "how much annotators differ in strictness"),
    "prompt": ("Prompt", "how much prompts differ in difficulty, whichever the generator"),
    "generator_prompt": (
        "Generator and prompt",
        "how much a prompt is harder for one generator than for another",
    ),
    "image": ("Image", "how much images of one generator and prompt differ"),
    "residual": ("Residual", "what remains between annotations of one image"),
}


def mixed_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return differences, means and variance components."""
    found = result["mixed_model"]
    return [_differences(found), _means(found), _components(found)]


def _differences(found: Mapping[str, Any]) -> Table:
    return table_of(
        "mixed_differences",
        "Differences, annotators and prompts as samples",
        "A mixed model of all annotations with random effects of annotator, prompt, generator and prompt, "
        "and image (REML, degrees of freedom by Satterthwaite). Its intervals hold for other annotators and "
        f"other prompts like these; those of Welch's test for these prompts only.{_left_out(found)}",
        TESTED,
        found["pairs"],
    )


def _left_out(found: Mapping[str, Any]) -> str:
    return "".join(
        f" {COMPONENTS[row['name']][0]} has no component: {row['reason']}." for row in found["omitted"]
    )


def _means(found: Mapping[str, Any]) -> Table:
    return table_of(
        "mixed_means",
        "Generators, annotators and prompts as samples",
        "The mean score of each generator for an average annotator and an average prompt. The intervals "
        "include how much annotators and prompts differ: compare generators by their differences.",
        (
            column(name, "Generator", "generator"),
            column(estimated, "Mean score", "mean", "with the 95% interval"),
        ),
        found["means"],
    )


def _components(found: Mapping[str, Any]) -> Table:
    return table_of(
        "mixed_components",
        "Sources of variation",
        "How the variance of scores within a generator is made up. Brackets show the 95% interval; with few "
        "annotators or prompts it is long.",
        (
            column(name, "Source", lambda row: COMPONENTS[row["name"]][0]),
            column(estimated, "Standard deviation", "standard_deviation_estimate", "in points of score"),
            column(shared_out, "Share of variance", "share_estimate"),
            column(name, "Meaning", lambda row: COMPONENTS[row["name"]][1]),
        ),
        found["components"],
    )


def prompt_table(result: Mapping[str, Any]) -> Table:
    """Return a row for each prompt with the mean of each generator."""
    found = result["generators_by_prompt"]
    names = sorted({entry["generator"] for row in found["prompts"] for entry in row["generators"]})
    return table_of(
        "generators_by_prompt",
        "Generators by prompt",
        f"Mean score over images with the 95% interval. {interaction_words(found['interaction'])}",
        (
            column(name, "Prompt", "prompt"),
            column(count, "Images", "images"),
            *(column(_mean, label, partial(_of, label)) for label in names),
        ),
        found["prompts"],
    )


def _of(label: str, row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return next((entry["mean"] for entry in row["generators"] if entry["generator"] == label), None)


def _mean(value: Mapping[str, Any] | None) -> TableCell:
    return TableCell("–", numeric=True, note="no images") if value is None else estimated(value)


def interaction_words(test: Mapping[str, Any]) -> str:
    """Return whether differences between generators depend on the prompt, with the test."""
    if test["refused"] is not None:
        return f"Whether the differences depend on the prompt cannot be tested: {test['refused']}."
    verdict = (
        "The differences between generators depend on the prompt"
        if test["p"] < 0.05
        else "No evidence was found that the differences between generators depend on the prompt"
    )
    return (
        f"{verdict}: interaction over images, F({test['df1']}, {test['df2']}) = "
        f"{rounded(test['f'], PLACES)}, {p_value(test['p'])}."
    )
