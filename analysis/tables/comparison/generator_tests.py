"""Tests between generators: over images, within prompts, adjusted for leniency, and as published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.tables.comparison.summaries import BY_ANNOTATION
from analysis.tables.table import (
    Table,
    TableCell,
    column,
    count,
    name,
    number,
    probability,
    rounded,
    span,
    table_of,
)
from analysis.tables.wording import p_value

PLACES = 2

Test = Mapping[str, Any]


def image_tests_table(result: Mapping[str, Any]) -> Table:
    """Return Welch's test over images with Hedges' g."""
    return table_of(
        "generator_comparisons",
        "Differences between generators",
        "Welch's t test of two means over images, which allows for unequal variances. A difference is clear "
        f"if the Holm-corrected p is below 0.05. {BY_ANNOTATION}",
        (
            *TESTED,
            column(
                _value,
                "Hedges' g",
                "hedges_g",
                "the difference in standard deviations; 0.2 is small, 0.5 medium, 0.8 large",
            ),
            column(_quiet_span, "g, 95% interval", "hedges_g"),
        ),
        result["generator_comparisons"],
    )


def blocked_table(result: Mapping[str, Any]) -> Table:
    """Return the paired tests over prompts, introduced by the F test of all generators."""
    blocked = result["blocked_by_prompt"]
    words = (
        "All generators use the same prompts, which differ in difficulty. The unit here is the prompt: a "
        "paired t test of prompt means, which generalises to other prompts. "
        f"{_omnibus(blocked['omnibus'])}"
    )
    lower = "prompts in which the first has the lower mean"
    return table_of(
        "blocked_by_prompt",
        "Differences within prompts",
        words.rstrip(),
        (
            *TESTED,
            column(count, "Prompts", "prompts_shared", "shared by both"),
            column(count, "First lower in", "a_lower", lower),
        ),
        blocked["pairs"],
    )


def _omnibus(test: Mapping[str, Any]) -> str:
    if test["refused"] is not None:
        return f"The overall test cannot be computed: {test['refused']}."
    return (
        f"Overall test, additive model of generator and prompt over images: F({test['df1']}, "
        f"{test['df2']}) = {rounded(test['f'], PLACES)}, {p_value(test['p'])}."
    )


def adjusted_table(result: Mapping[str, Any]) -> Table:
    """Return differences adjusted for leniency beside unadjusted ones."""
    adjusted = result["adjusted_for_annotator"]
    return table_of(
        "adjusted_for_annotator",
        "Differences adjusted for leniency",
        "The differences as if the same mix of annotators had judged every generator: least squares with "
        "the annotator as a fixed effect and standard errors clustered by image. The last two columns omit "
        "the adjustment: compare with them, not with the table over images. Adjudicated values are excluded, "
        "because no single annotator made them.",
        (
            *TESTED,
            column(
                _value,
                "Unadjusted",
                "unadjusted.difference",
                "the difference of the same annotations, not adjusted for leniency",
            ),
            column(
                _left_in,
                "p, Holm, unadjusted",
                "unadjusted",
                "the same test of the same annotations, not adjusted for leniency",
            ),
        ),
        adjusted["pairs"],
    )


def row_tests_table(result: Mapping[str, Any]) -> Table:
    """Return the tests that the published study printed."""
    means = {entry["generator"]: entry["mean"] for entry in result["generators"]}
    pair, difference, _, t, df, p, *_ = TESTED
    made = (
        lambda test: number(means[test["a"]] - means[test["b"]], PLACES),
        lambda test: number(test["t"], PLACES, undefined=f"no test: {test.get('undefined', '')}"),
        lambda test: number(test["df"], 1),
    )
    return table_of(
        "generator_tests",
        "Differences between generators, annotation by annotation",
        "Welch's t test as in the published study, for comparison with it only. A doubly annotated image "
        "counts twice as if its scores were independent, which makes p too small, and there is no correction "
        "for the number of comparisons.",
        (pair, *((heading, make) for (heading, _), make in zip((difference, t, df), made, strict=True)), p),
        result["generator_tests"],
    )


def _value(estimate: Mapping[str, Any]) -> TableCell:
    return number(estimate["value"], PLACES, undefined=estimate["refused"] or "")


def _quiet_span(estimate: Mapping[str, Any]) -> TableCell:
    """Return an interval, or a dash without the reason that the row already gives."""
    return span(estimate) if estimate["refused"] is None else _NOTHING


def _degrees(df: float | None) -> TableCell:
    """Return degrees of freedom, without decimals if whole."""
    return number(df, 0 if df is not None and df == int(df) else 1)


def _statistic(test: Test) -> TableCell:
    return number(test["t"], PLACES, undefined=f"no test: {test['difference']['refused']}")


def _left_in(test: Test) -> TableCell:
    return probability(test["p_holm"], undefined=f"no test: {test['difference']['refused'] or ''}")


_NOTHING: Final = TableCell("–", numeric=True)
TESTED: Final = (
    column(name, "Generators", lambda test: f"{test['a']} – {test['b']}"),
    column(
        _value,
        "Difference",
        "difference",
        "mean of the first minus mean of the second; negative: the first has fewer errors",
    ),
    column(_quiet_span, "95% interval", "difference", "of this difference alone"),
    column(_statistic, "t", dict, "the difference in standard errors"),
    column(_degrees, "df", "df", "degrees of freedom"),
    column(
        probability,
        "p",
        "p",
        "probability of a difference at least this large between equal generators, two-sided",
    ),
    column(probability, "p, Holm", "p_holm", "p corrected for the number of rows in this table"),
    column(
        _quiet_span,
        "Joint 95% interval",
        "simultaneous",
        "all intervals of this table together contain the true differences with 95% (Bonferroni)",
    ),
)
