"""Summaries of groups of images: over images, and over annotations as in the published study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from analysis.tables.comparison.finding import adjusted_prompts
from analysis.tables.estimates import estimated
from analysis.tables.table import (
    Column,
    Heading,
    Part,
    Table,
    TableCell,
    column,
    count,
    name,
    number,
    rounded,
    span,
    table_of,
    without_hints,
)
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES, SEVERITIES, SEVERITY_TITLES

PLACES = 2
# Result key -> (name of the label, heading, title, description of a row).
SUMMARIES = {
    "generators": ("generator", "Generator", "Generators", "the images of one text-to-image model"),
    "prompts": ("prompt", "Prompt", "Prompts", "the images of one prompt"),
    "prompt_groups": ("prompt_group", "Prompt group", "Prompt groups", "how many people the prompt asks for"),
    "error_types": (
        "error_type",
        "Error type",
        "Error types",
        "the part of each score from one error type; the means add up to the overall mean",
    ),
    "body_parts": (
        "body_part",
        "Body part",
        "Body parts",
        "the part of each score from one body part; the means add up to the overall mean",
    ),
    "annotators": (
        "annotator",
        "Annotator",
        "Annotators",
        "the annotations of one person; differences reflect leniency and the images assigned",
    ),
}
TITLES = {"error_type": ERROR_TYPE_TITLES, "body_part": BODY_PART_TITLES}
FIRST = "generators"
BY_ANNOTATION = "For numbers comparable with the published study, see “Annotation by annotation” below."
ADJUSTED = "Adjusted: as if the same annotators had judged the same generators of every prompt; 95% interval."
SCORE = "0 is no error, without an upper limit; the bar shows the parts from mild, moderate and severe errors"
# Rounding in the sums must not split a bar.
CLOSE = 1e-6

Summary = Mapping[str, Any]
Weights = Mapping[str, float]

_TWO_PLACES = partial(number, places=PLACES)


def annotation_table(result: Mapping[str, Any], key: str, weights: Weights) -> Table:
    """Return the summary over annotations: a doubly annotated image counts twice."""
    label, heading, title, rows = SUMMARIES[key]
    longest = max((entry["mean"] for entry in result[key]), default=0.0)

    def mean(entry: Summary) -> TableCell:
        return barred(entry["mean"], entry["severity"], weights, longest, entry["annotations"])

    columns = (
        column(name, heading, partial(_title, label)),
        (Heading("Mean", numeric=True, hint=f"cumulative score per annotation: {SCORE}"), mean),
        column(
            partial(number, places=PLACES, undefined="fewer than 2 annotations"),
            "Variance",
            "variance",
            "sample variance of the cumulative score (divided by n − 1)",
        ),
        column(
            count,
            "Annotations",
            "annotations",
            "submitted annotations; a doubly annotated image counts twice",
        ),
        column(count, "Images", "images"),
        *severity_columns(_TWO_PLACES, "severity", "error fractions of {} errors, summed unweighted"),
    )
    return table_of(
        key,
        f"{title}, annotation by annotation",
        f"Each row: {rows}. Counted as in the published study: a doubly annotated image counts twice.",
        columns if key == FIRST else without_hints(columns),
        result[key],
    )


def image_table(result: Mapping[str, Any], key: str, weights: Weights) -> Table:
    """Return the summary over images with intervals."""
    label, heading, title, rows = SUMMARIES[key]
    entries = result[key]
    longest = max((entry["image_mean"]["value"] for entry in entries), default=0.0)

    def mean(entry: Summary) -> TableCell:
        return barred(entry["image_mean"]["value"], entry["severity_per_image"], weights, longest)

    adjusted = adjusted_prompts(result) if key == "prompts" else {}
    columns = (
        column(name, heading, partial(_title, label)),
        (Heading("Mean", numeric=True, hint=f"cumulative score per image: {SCORE}"), mean),
        column(span, "95% interval", "image_mean", "of the mean, by Student's t over images"),
        *([column(_adjusted, "Adjusted mean", lambda entry: adjusted.get(entry[label]))] if adjusted else ()),
        column(_TWO_PLACES, "Median", "image_median", "half of the images score lower"),
        column(count, "Images", "images", "distinct images"),
        *severity_columns(
            _TWO_PLACES, "severity_per_image", "error fractions of {} errors per image, unweighted"
        ),
    )
    words = f"Each row: {rows}. The unit is the image: scores of a doubly annotated image are averaged."
    if adjusted:
        words += f" {ADJUSTED}"
    if key == FIRST:
        return table_of(f"{key}_images", title, f"{words} {BY_ANNOTATION}", columns, entries)
    return table_of(f"{key}_images", title, words, without_hints(columns), entries)


def _adjusted(found: Mapping[str, Any] | None) -> TableCell:
    return TableCell("–", numeric=True, note="not listed") if found is None else estimated(found)


def _title(label: str, entry: Summary) -> str:
    return str(TITLES.get(label, {}).get(entry[label], entry[label]))


def severity_columns(make: Callable[[Any], TableCell], of: str, hint: str = "") -> tuple[Column, ...]:
    """Return a column for each severity of the values at `of`; `hint` is a format for the severity's name."""
    return tuple(
        column(make, f"Severity {key}", f"{of}.{key}", hint.format(title), severity=key, meaning=title)
        for key, title in SEVERITY_TITLES.items()
    )


def barred(mean: float, sums: Weights, weights: Weights, longest: float, n: int = 1) -> TableCell:
    """Return a mean of n with its bar; `sums` are the unweighted error fractions of all n by severity."""
    shares = {severity: weights[severity] * sums[severity] / n for severity in SEVERITIES}
    return TableCell(rounded(mean, PLACES), numeric=True, bar=_bar(shares, mean, longest))


def _bar(shares: dict[str, float], mean: float, longest: float) -> tuple[Part, ...]:
    """Return the mean as a bar, split by severity if the mean was made with these weights."""
    if longest <= 0:
        return ()
    if abs(sum(shares.values()) - mean) > CLOSE:
        shares = {"plain": mean}
    parts, start = [], 0.0
    for kind, share in shares.items():
        width = 100 * share / longest
        parts.append(Part(kind, round(start, 3), round(width, 3)))
        start += width
    return tuple(parts)
