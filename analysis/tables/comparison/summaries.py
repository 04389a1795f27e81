"""Groups of images side by side: over images, and over annotations as the published study counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from analysis.tables.table import (
    Cell,
    Column,
    Heading,
    Part,
    Table,
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
# The published study's numbers are not those that a reader of a comparison meets first.
BY_ANNOTATION = (
    "The published study compared annotations, not images: to compare with its numbers, see "
    "“Annotation by annotation” below."
)
SCORE = (
    "0 is no error, and it has no upper end; the bar divides it into what mild, moderate and severe errors "
    "add"
)
# Rounding in the sums must not decide whether a bar is drawn whole.
CLOSE = 1e-6

Summary = Mapping[str, Any]
Weights = Mapping[str, float]

_TWO_PLACES = partial(number, places=PLACES)


def annotation_table(result: Mapping[str, Any], key: str, weights: Weights) -> Table:
    """Row by row: an image judged twice counts twice."""
    label, heading, title, rows = SUMMARIES[key]
    longest = max((entry["mean"] for entry in result[key]), default=0.0)

    def mean(entry: Summary) -> Cell:
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
            "submitted answers; an image judged by two annotators counts twice",
        ),
        column(count, "Images", "images"),
        *severity_columns(_TWO_PLACES, "severity", "error fractions of {} errors, summed unweighted"),
    )
    return table_of(
        key,
        f"{title}, annotation by annotation",
        f"Each row: {rows}. Counted as the published study did: an image judged twice counts twice.",
        columns if key == FIRST else without_hints(columns),
        result[key],
    )


def image_table(result: Mapping[str, Any], key: str, weights: Weights) -> Table:
    """Image by image, with the interval of the mean; no rows for a result stored before there was one."""
    label, heading, title, rows = SUMMARIES[key]
    entries = [entry for entry in result[key] if "image_mean" in entry]
    longest = max((entry["image_mean"]["value"] for entry in entries), default=0.0)

    def mean(entry: Summary) -> Cell:
        return barred(entry["image_mean"]["value"], entry["severity_per_image"], weights, longest)

    columns = (
        column(name, heading, partial(_title, label)),
        (Heading("Mean", numeric=True, hint=f"cumulative score per image: {SCORE}"), mean),
        column(span, "95 % interval", "image_mean", "of the mean, by Student's t over images"),
        column(_TWO_PLACES, "Median", "image_median", "half of the images score less"),
        column(count, "Images", "images", "distinct images"),
        *severity_columns(
            _TWO_PLACES, "severity_per_image", "error fractions of {} errors per image, unweighted"
        ),
    )
    words = f"Each row: {rows}. The unit is the image: scores of one that was judged twice are averaged."
    if key == FIRST:
        return table_of(f"{key}_images", title, f"{words} {BY_ANNOTATION}", columns, entries)
    return table_of(f"{key}_images", title, words, without_hints(columns), entries)


def _title(label: str, entry: Summary) -> str:
    return str(TITLES.get(label, {}).get(entry[label], entry[label]))


def severity_columns(make: Callable[[Any], Cell], of: str, hint: str = "") -> tuple[Column, ...]:
    """A column for each severity of what lies at `of`; `hint` has a place for the severity's name."""
    return tuple(
        column(make, f"Severity {key}", f"{of}.{key}", hint.format(title), severity=key, meaning=title)
        for key, title in SEVERITY_TITLES.items()
    )


def barred(mean: float, sums: Weights, weights: Weights, longest: float, n: int = 1) -> Cell:
    """A mean of n with its bar; `sums` are the unweighted error fractions by severity, of all n."""
    shares = {severity: weights[severity] * sums[severity] / n for severity in SEVERITIES}
    return Cell(rounded(mean, PLACES), numeric=True, bar=_bar(shares, mean, longest))


def _bar(shares: dict[str, float], mean: float, longest: float) -> tuple[Part, ...]:
    """The mean as a bar, divided by severity where the weights are those the mean was made with."""
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
