"""Tests between generators: over images, within prompts, adjusted for leniency, and as first published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.summaries import BY_ANNOTATION
from analysis.tables.table import Cell, Heading, Table, count, name, number, probability, rounded, span

PLACES = 2
GENERATORS = Heading("Generators")
DIFFERENCE = Heading(
    "Difference",
    numeric=True,
    hint="mean of the first minus mean of the second; negative: the first has fewer errors",
)
INTERVAL = Heading("95 % interval", numeric=True, hint="of the difference")
T = Heading("t", numeric=True, hint="the difference in standard errors")
DF = Heading("df", numeric=True, hint="degrees of freedom")
P = Heading(
    "p",
    numeric=True,
    hint="how often a difference this large arises by chance between equal generators, two-sided",
)
HOLM = Heading("p, Holm", numeric=True, hint="p corrected for the number of rows in this table")
UNADJUSTED = (
    Heading("Unadjusted", numeric=True, hint="the difference of the same annotations, leniency left in"),
    Heading(
        "p, Holm, unadjusted", numeric=True, hint="the same test of the same annotations, leniency left in"
    ),
)

Test = Mapping[str, Any]


def image_tests_table(result: Mapping[str, Any]) -> Table:
    """Welch's test over images with Hedges' g."""
    return Table(
        slug="generator_comparisons",
        title="Differences between generators",
        words=(
            "Welch's t test of two means over images, which lets generators vary differently. "
            f"Call a difference clear where p after Holm's correction is below 0.05. {BY_ANNOTATION}"
        ),
        headings=(
            GENERATORS,
            DIFFERENCE,
            INTERVAL,
            T,
            DF,
            P,
            HOLM,
            Heading(
                "Hedges' g",
                numeric=True,
                hint="the difference in standard deviations; by custom 0.2 is small, 0.5 medium, 0.8 large",
            ),
            Heading("g, 95 % interval", numeric=True),
        ),
        rows=tuple(
            (
                *_test_row(test),
                number(test["hedges_g"]["value"], PLACES, undefined=test["hedges_g"]["refused"] or ""),
                _quiet_span(test["hedges_g"]),
            )
            for test in result.get("generator_comparisons", ())
        ),
    )


def blocked_table(result: Mapping[str, Any]) -> Table:
    """Paired over prompts, under the F test of all generators at once."""
    blocked = result.get("blocked_by_prompt", {"omnibus": None, "pairs": []})
    return Table(
        slug="blocked_by_prompt",
        title="Differences within prompts",
        words=(
            "Generators drew the same prompts, and prompts differ in difficulty. Here the prompt is the "
            "unit: a paired t test of the prompts' means, which speaks of other prompts too. "
            f"{_omnibus(blocked['omnibus'])}"
        ).rstrip(),
        headings=(
            GENERATORS,
            DIFFERENCE,
            INTERVAL,
            T,
            DF,
            P,
            HOLM,
            Heading("Prompts", numeric=True, hint="drawn by both"),
            Heading("First lower in", numeric=True, hint="prompts in which the first has the lower mean"),
        ),
        rows=tuple(
            (*_test_row(test), count(test["prompts_shared"]), count(test["a_lower"]))
            for test in blocked["pairs"]
        ),
    )


def _omnibus(test: Mapping[str, Any] | None) -> str:
    if test is None:
        return ""
    if test["refused"] is not None:
        return f"All generators at once cannot be tested: {test['refused']}."
    return (
        f"All generators at once, additive model of generator and prompt over images: F({test['df1']}, "
        f"{test['df2']}) = {rounded(test['f'], PLACES)}, p {_compared(test['p'])}."
    )


def _compared(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def adjusted_table(result: Mapping[str, Any]) -> Table:
    """Differences with the annotators' leniency taken out."""
    adjusted = result.get("adjusted_for_annotator", {"pairs": []})
    return Table(
        slug="adjusted_for_annotator",
        title="Differences adjusted for leniency",
        words=(
            "The same differences as if every generator had been judged by the same mix of annotators: least "
            "squares with the annotator as a fixed effect, standard errors clustered by image. The last two "
            "columns leave leniency in and change nothing else: compare with them, not with the table over "
            "images. Adjudicated values enter neither, because no single annotator made them."
        ),
        headings=(GENERATORS, DIFFERENCE, INTERVAL, T, DF, P, HOLM, *UNADJUSTED),
        rows=tuple((*_test_row(test), *_left_in(test.get("unadjusted"))) for test in adjusted["pairs"]),
    )


def _left_in(test: Test | None) -> tuple[Cell, ...]:
    """The difference and its p with leniency left in; dashes for a result stored without them."""
    if test is None:
        return (Cell("–", numeric=True), Cell("–", numeric=True))
    why = test["difference"]["refused"] or ""
    return (
        number(test["difference"]["value"], PLACES, undefined=why),
        probability(test["p_holm"], undefined=f"no test: {why}"),
    )


def row_tests_table(result: Mapping[str, Any]) -> Table:
    """What the published study printed."""
    means = {entry["generator"]: entry["mean"] for entry in result["generators"]}
    return Table(
        slug="generator_tests",
        title="Differences between generators, annotation by annotation",
        words=(
            "Welch's t test as the published study printed it, to be compared with it only: an image judged "
            "twice counts twice, as if its two scores were independent, which makes p too small where many "
            "were, and nothing corrects for the number of comparisons."
        ),
        headings=(GENERATORS, DIFFERENCE, T, DF, P),
        rows=tuple(
            (
                _pair(test),
                number(means[test["a"]] - means[test["b"]], PLACES),
                number(test["t"], PLACES, undefined=f"no test: {test.get('undefined', '')}"),
                number(test["df"], 1),
                probability(test["p"]),
            )
            for test in result["generator_tests"]
        ),
    )


def _pair(test: Test) -> Cell:
    return name(f"{test['a']} – {test['b']}")


def _test_row(test: Test) -> tuple[Cell, ...]:
    difference = test["difference"]
    return (
        _pair(test),
        number(difference["value"], PLACES, undefined=difference["refused"] or ""),
        _quiet_span(difference),
        number(test["t"], PLACES, undefined=f"no test: {difference['refused']}"),
        _degrees(test["df"]),
        probability(test["p"]),
        probability(test["p_holm"]),
    )


def _degrees(df: float | None) -> Cell:
    """Whole where they are whole."""
    return number(df, 0 if df is not None and df == int(df) else 1)


def _quiet_span(estimate: Mapping[str, Any]) -> Cell:
    """An interval, or a dash without the reason, which its row says already."""
    return span(estimate) if estimate["refused"] is None else Cell("–", numeric=True)
