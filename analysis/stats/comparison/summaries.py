"""Rows of the comparison: counts, means, variances and severities of one group.

There are two units: `mean`, `variance` and `median` are over annotations, as in the published study; keys
with `image` are over images, doubly annotated ones averaged, and have the interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from analysis.stats.bands import group_quantiles
from analysis.stats.estimates import FROM_ZERO
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.images import ImageTable, Kind, kind_scores, kind_sums
from analysis.stats.means import Groups, grouped, mean_estimates
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES

Summary = dict[str, Any]

PROMPT_GROUPS: Final = ("individual", "pair", "group")


def by_image_column(table: ImageTable, column: str) -> list[Summary]:
    """Return a summary of each generator, prompt or prompt group, by name."""
    return _by(table.frame, column, table.scores, table.codes(column), table.severity)


def generators(table: ImageTable) -> list[Summary]:
    """Return a summary of each generator, with how many annotations and images have no error at all."""
    frame = table.frame
    groups = len(frame.labels("generator"))
    of_annotations = _clean(frame.severity_sums, frame.codes("generator"), groups)
    of_images = _clean(table.severity, table.codes("generator"), groups)
    return [
        {
            **row,
            "annotations_without_errors": int(of_annotations[i]),
            "images_without_errors": int(of_images[i]),
        }
        for i, row in enumerate(by_image_column(table, "generator"))
    ]


def _clean(severity: Floats, codes: Ints, groups: int) -> Ints:
    """Return (groups,): how many of (n, 3) severity sums are zero. A weight of 0 does not undo an error."""
    return np.bincount(codes[~severity.any(axis=1)], minlength=groups)


def by_annotator(frame: RatingsFrame) -> list[Summary]:
    """Return a summary of each annotator, with one annotation per image."""
    return _by(frame, "annotator", frame.scores, frame.codes("annotator"), frame.severity_sums)


def _by(frame: RatingsFrame, column: str, scores: Floats, codes: Ints, severity: Floats) -> list[Summary]:
    """Return a summary of each value of a column; scores, codes and severity sums are of (m,) images."""
    labels = frame.labels(column)
    rows = _rows(frame, frame.codes(column), codes, len(labels))
    images = _images(scores, codes, frame, column)
    means = mean_severities(severity, codes, len(labels))
    return [
        {column: label, **rows[i], **images[i], "severity_per_image": named(means[i])}
        for i, label in enumerate(labels)
    ]


def by_error_type(table: ImageTable) -> list[Summary]:
    """Return a summary of each error type's part of the scores."""
    return _restricted(table, "error_type", ERROR_TYPES, "type", table.types)


def by_body_part(table: ImageTable) -> list[Summary]:
    """Return a summary of each body part's part of the scores."""
    return _restricted(table, "body_part", BODY_PARTS, "part", table.parts)


def people_first(entries: Iterable[Summary]) -> list[Summary]:
    """Return prompt groups ordered by number of people, others last."""
    known = {name: place for place, name in enumerate(PROMPT_GROUPS)}
    return sorted(entries, key=lambda e: (known.get(e["prompt_group"], len(known)), e["prompt_group"]))


def _rows(frame: RatingsFrame, codes: Ints, of_images: Ints, groups: int) -> list[Summary]:
    """Return summaries over annotations (`codes`, (n,)) as in the published study; `of_images` is (m,)."""
    if not groups:
        return []
    found = grouped(frame.scores, codes, groups)
    images = np.bincount(of_images, minlength=groups)
    medians = group_quantiles(frame.scores, codes, 0.5)
    severity = frame.severity_sums
    sums = np.stack([np.bincount(codes, severity[:, k]) for k in range(len(SEVERITIES))], axis=1)
    return [
        {
            "annotations": int(found.n[i]),
            "images": int(images[i]),
            "mean": float(found.mean[i]),
            "variance": found.variance_of(i),
            "median": float(medians[i]),
            "severity": named(sums[i]),
        }
        for i in range(groups)
    ]


def _images(scores: Floats, codes: Ints, frame: RatingsFrame, column: str) -> list[Summary]:
    """Return summaries over images: mean with interval, variance and median."""
    groups = len(frame.labels(column))
    if not groups:
        return []
    found = grouped(scores, codes, groups)
    medians = group_quantiles(scores, codes, 0.5)
    means = mean_estimates(found, frame.coders(column), FROM_ZERO)
    return [_of_images(found, i, interval, medians[i]) for i, interval in enumerate(means)]


def _of_images(found: Groups, i: int, interval: object, median: float) -> Summary:
    return {
        "image_mean": interval,
        "image_variance": found.variance_of(i),
        "image_median": float(median),
    }


def mean_severities(severity: Floats, codes: Ints, groups: int) -> Floats:
    """Return (groups, 3): means of (m, 3) severity sums in each group."""
    n = np.maximum(np.bincount(codes, minlength=groups), 1)
    means = [np.bincount(codes, severity[:, k], minlength=groups) / n for k in range(len(SEVERITIES))]
    return np.stack(means, axis=1)


def named(row: Floats) -> dict[str, float]:
    """Return three numbers by severity."""
    return dict(zip(SEVERITIES, row.tolist(), strict=True))


def _restricted(
    table: ImageTable, name: str, labels: Sequence[str], kind: Kind, images: Floats
) -> list[Summary]:
    """Return summaries of parts of the score; `images` (m, 5, 3) are unweighted error fractions."""
    frame = table.frame
    if not len(frame):
        return []
    coders = np.array([len(frame.labels("annotator"))])
    (sums,) = kind_sums(frame, kind, np.zeros(len(frame), dtype=np.int64), 1)
    entries = []
    for i, (label, scores) in enumerate(zip(labels, kind_scores(frame, kind), strict=True)):
        of_images = images[:, i] @ frame.weights
        found, spread = _whole(scores), _whole(of_images)
        (mean,) = mean_estimates(spread, coders, FROM_ZERO)
        entries.append(
            {
                name: label,
                "annotations": len(frame),
                "images": len(table),
                "mean": float(found.mean[0]),
                "variance": found.variance_of(0),
                "median": float(np.median(scores)),
                "severity": named(sums[i]),
                **_of_images(spread, 0, mean, float(np.median(of_images))),
                "severity_per_image": named(images[:, i].mean(axis=0)),
            }
        )
    return entries


def _whole(values: Floats) -> Groups:
    return grouped(values, np.zeros(len(values), dtype=np.int64), 1)
