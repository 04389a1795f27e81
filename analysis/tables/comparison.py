"""The comparison report as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.table import Cell, Heading, Part, Table, count, name, number, probability
from scoring.anatomy.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES, SEVERITIES, SEVERITY_TITLES

PLACES = 2
# Result key -> (name of the label, heading, title, what the rows are).
SUMMARIES = {
    "generators": ("generator", "Generator", "Generators", "the images of one text-to-image model"),
    "prompts": ("prompt", "Prompt", "Prompts", "the images of one prompt"),
    "prompt_groups": ("prompt_group", "Prompt group", "Prompt groups", "how many people the prompt asks for"),
    "error_types": (
        "error_type",
        "Error type",
        "Error types",
        "the part of every score that falls to one error type; the means add up to the overall mean",
    ),
    "body_parts": (
        "body_part",
        "Body part",
        "Body parts",
        "the part of every score that falls to one body part; the means add up to the overall mean",
    ),
    "annotators": (
        "annotator",
        "Annotator",
        "Annotators",
        "the answers of one person; differences come from leniency and from the images each was given",
    ),
}
TITLES = {"error_type": ERROR_TYPE_TITLES, "body_part": BODY_PART_TITLES}
FIRST = "generators"
NUMBERS = ("Mean", "Variance", "Annotations", "Images")
HINTS = {
    "Mean": (
        "cumulative score per annotation: 0 is no error, and it has no upper end; the bar divides it into "
        "what mild, moderate and severe errors add"
    ),
    "Variance": "sample variance of the cumulative score (divided by n − 1)",
    "Annotations": "submitted answers; an image judged by two annotators counts twice",
    **{
        f"Severity {severity}": f"error fractions of {SEVERITY_TITLES[severity]} errors, summed unweighted"
        for severity in SEVERITIES
    },
}
# Rounding in the sums must not decide whether a bar is drawn whole.
CLOSE = 1e-6

Summary = Mapping[str, Any]


def comparison_tables(result: Mapping[str, Any], weights: Mapping[str, float]) -> list[Table]:
    """Return the tables; weights (by severity) divide each bar into its severities."""
    tables = []
    for key in SUMMARIES:
        tables.append(_summary_table(result, key, weights))
        if key == FIRST and result["generator_tests"]:
            tables.append(_tests(result))
    return [table for table in tables if table.rows]


def _summary_table(result: Mapping[str, Any], key: str, weights: Mapping[str, float]) -> Table:
    label, heading, title, rows = SUMMARIES[key]
    entries = result[key]
    longest = max((entry["mean"] for entry in entries), default=0.0)
    # The columns mean the same in every table: the first explains them.
    hints = HINTS if key == FIRST else {}
    return Table(
        slug=key,
        title=title,
        words=f"Each row: {rows}.",
        headings=(
            Heading(heading),
            *(Heading(text, numeric=True, hint=hints.get(text, "")) for text in NUMBERS),
            *(_severity_heading(severity, hints) for severity in SEVERITIES),
        ),
        rows=tuple(_summary_row(entry, label, longest, weights) for entry in entries),
    )


def _severity_heading(severity: str, hints: Mapping[str, str]) -> Heading:
    text = f"Severity {severity}"
    return Heading(
        text,
        numeric=True,
        hint=hints.get(text, ""),
        severity=severity,
        meaning=SEVERITY_TITLES[severity],
    )


def _summary_row(
    entry: Summary, label: str, longest: float, weights: Mapping[str, float]
) -> tuple[Cell, ...]:
    title = TITLES.get(label, {}).get(entry[label], entry[label])
    mean = number(entry["mean"], PLACES)
    return (
        name(title),
        Cell(mean.text, numeric=True, bar=_bar(entry, longest, weights)),
        number(entry["variance"], PLACES, undefined="fewer than 2 annotations"),
        count(entry["annotations"]),
        count(entry["images"]),
        *(number(entry["severity"][severity], PLACES) for severity in SEVERITIES),
    )


def _bar(entry: Summary, longest: float, weights: Mapping[str, float]) -> tuple[Part, ...]:
    """The mean as a bar, divided by severity where the weights are those the mean was made with."""
    if longest <= 0:
        return ()
    shares = {
        severity: weights[severity] * entry["severity"][severity] / entry["annotations"]
        for severity in SEVERITIES
    }
    if abs(sum(shares.values()) - entry["mean"]) > CLOSE:
        shares = {"plain": entry["mean"]}
    parts, start = [], 0.0
    for kind, share in shares.items():
        width = 100 * share / longest
        parts.append(Part(kind, round(start, 3), round(width, 3)))
        start += width
    return tuple(parts)


def _tests(result: Mapping[str, Any]) -> Table:
    means = {entry["generator"]: entry["mean"] for entry in result["generators"]}
    return Table(
        slug="generator_tests",
        title="Differences between generators",
        words=(
            "Welch's t test of two means, annotation by annotation as the published study did: an image "
            "judged twice counts twice, which makes p too small where many were. Not corrected for "
            "the number of comparisons."
        ),
        headings=(
            Heading("Generators"),
            Heading(
                "Difference",
                numeric=True,
                hint="mean of the first minus mean of the second; negative: the first has fewer errors",
            ),
            Heading("t", numeric=True, hint="the difference in standard errors"),
            Heading("df", numeric=True, hint="degrees of freedom"),
            Heading(
                "p",
                numeric=True,
                hint="how often a difference this large arises by chance between equal generators, two-sided",
            ),
        ),
        rows=tuple(
            (
                name(f"{test['a']} – {test['b']}"),
                number(means[test["a"]] - means[test["b"]], PLACES),
                number(test["t"], PLACES, undefined=f"no test: {test.get('undefined', '')}"),
                number(test["df"], 1),
                probability(test["p"]),
            )
            for test in result["generator_tests"]
        ),
    )
