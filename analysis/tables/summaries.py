"""Groups of images side by side: over images, and over annotations as the published study counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.table import Cell, Heading, Part, Table, count, name, number, rounded, span
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
IMAGE_NUMBERS = ("Mean", "95 % interval", "Median", "Images")
IMAGE_HINTS = {
    "Mean": (
        "cumulative score per image: 0 is no error, and it has no upper end; the bar divides it into "
        "what mild, moderate and severe errors add"
    ),
    "95 % interval": "of the mean, by Student's t over images",
    "Median": "half of the images score less",
    "Images": "distinct images",
    **{
        f"Severity {severity}": f"error fractions of {SEVERITY_TITLES[severity]} errors per image, unweighted"
        for severity in SEVERITIES
    },
}
# Rounding in the sums must not decide whether a bar is drawn whole.
CLOSE = 1e-6

Summary = Mapping[str, Any]


def annotation_table(result: Mapping[str, Any], key: str, weights: Mapping[str, float]) -> Table:
    """Row by row: an image judged twice counts twice."""
    label, heading, title, rows = SUMMARIES[key]
    entries = result[key]
    longest = max((entry["mean"] for entry in entries), default=0.0)
    # The columns mean the same in every table: the first explains them.
    hints = HINTS if key == FIRST else {}
    return Table(
        slug=key,
        title=f"{title}, annotation by annotation",
        words=f"Each row: {rows}. Counted as the published study did: an image judged twice counts twice.",
        headings=(
            Heading(heading),
            *(Heading(text, numeric=True, hint=hints.get(text, "")) for text in NUMBERS),
            *(_severity_heading(severity, hints) for severity in SEVERITIES),
        ),
        rows=tuple(_annotation_row(entry, label, longest, weights) for entry in entries),
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


def _annotation_row(
    entry: Summary, label: str, longest: float, weights: Mapping[str, float]
) -> tuple[Cell, ...]:
    title = TITLES.get(label, {}).get(entry[label], entry[label])
    mean = number(entry["mean"], PLACES)
    return (
        name(title),
        Cell(mean.text, numeric=True, bar=_annotation_bar(entry, longest, weights)),
        number(entry["variance"], PLACES, undefined="fewer than 2 annotations"),
        count(entry["annotations"]),
        count(entry["images"]),
        *(number(entry["severity"][severity], PLACES) for severity in SEVERITIES),
    )


def _annotation_bar(entry: Summary, longest: float, weights: Mapping[str, float]) -> tuple[Part, ...]:
    shares = {
        severity: weights[severity] * entry["severity"][severity] / entry["annotations"]
        for severity in SEVERITIES
    }
    return bar(shares, entry["mean"], longest)


def bar(shares: dict[str, float], mean: float, longest: float) -> tuple[Part, ...]:
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


def image_table(result: Mapping[str, Any], key: str, weights: Mapping[str, float]) -> Table:
    """Image by image, with the interval of the mean; no rows for a result stored before there was one."""
    label, heading, title, rows = SUMMARIES[key]
    entries = [entry for entry in result[key] if "image_mean" in entry]
    longest = max((entry["image_mean"]["value"] for entry in entries), default=0.0)
    hints = IMAGE_HINTS if key == FIRST else {}
    return Table(
        slug=f"{key}_images",
        title=title,
        words=(
            f"Each row: {rows}. The unit is the image: scores of one that was judged twice are averaged."
            f"{f' {BY_ANNOTATION}' if key == FIRST else ''}"
        ),
        headings=(
            Heading(heading),
            *(Heading(text, numeric=True, hint=hints.get(text, "")) for text in IMAGE_NUMBERS),
            *(_severity_heading(severity, hints) for severity in SEVERITIES),
        ),
        rows=tuple(_image_row(entry, label, longest, weights) for entry in entries),
    )


def _image_row(entry: Summary, label: str, longest: float, weights: Mapping[str, float]) -> tuple[Cell, ...]:
    mean, per_image = entry["image_mean"], entry["severity_per_image"]
    shares = {severity: weights[severity] * per_image[severity] for severity in SEVERITIES}
    return (
        name(TITLES.get(label, {}).get(entry[label], entry[label])),
        Cell(rounded(mean["value"], PLACES), numeric=True, bar=bar(shares, mean["value"], longest)),
        span(mean),
        number(entry["image_median"], PLACES),
        count(entry["images"]),
        *(number(per_image[severity], PLACES) for severity in SEVERITIES),
    )
