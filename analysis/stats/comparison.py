"""Comparison of generators, prompts, kinds of error and annotators by cumulative score.

Row by row, as the published study did: an image judged twice counts twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any, Final

import numpy as np

from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.welch import welch_test
from scoring.anatomy.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES

Summary = dict[str, Any]

PROMPT_GROUPS: Final = ("individual", "pair", "group")


def comparison(frame: RatingsFrame) -> dict[str, list[Summary]]:
    """The comparison report: plain values that JSON can hold, nothing rounded.

    Each entry names what it sums up and holds annotations, images, mean and sample variance (None
    under two annotations) of the cumulative score, and `severity`: unweighted error fractions summed by
    severity. Error types and body parts use the part of the score that falls to them, over all
    annotations. Welch tests compare every two generators in the order of their names.
    """
    prompt_groups = _summaries(frame, "prompt_group")
    return {
        "generators": _summaries(frame, "generator"),
        "generator_tests": _generator_tests(frame),
        "prompts": _summaries(frame, "prompt"),
        "prompt_groups": sorted(prompt_groups, key=lambda entry: _group_order(entry["prompt_group"])),
        "error_types": _restricted(frame, "error_type", ERROR_TYPES, axis=1),
        "body_parts": _restricted(frame, "body_part", BODY_PARTS, axis=2),
        "annotators": _summaries(frame, "annotator"),
    }


def _group_order(name: str) -> tuple[int, str]:
    """The published groups by how many people they show, any other after them."""
    return (PROMPT_GROUPS.index(name) if name in PROMPT_GROUPS else len(PROMPT_GROUPS), name)


def _summaries(frame: RatingsFrame, column: str) -> list[Summary]:
    labels, codes = frame.labels(column), frame.codes(column)
    if not labels:
        return []
    n = np.bincount(codes)
    mean = np.bincount(codes, frame.scores) / n
    squares = np.bincount(codes, (frame.scores - mean[codes]) ** 2)
    images = np.bincount(_distinct_images(frame, codes), minlength=len(labels))
    severity = frame.fractions.sum(axis=1)
    sums = np.stack([np.bincount(codes, severity[:, k]) for k in range(len(SEVERITIES))], axis=1)
    return [
        {column: label, **_summary(int(n[i]), int(images[i]), float(mean[i]), float(squares[i]), sums[i])}
        for i, label in enumerate(labels)
    ]


def _distinct_images(frame: RatingsFrame, codes: Ints) -> Ints:
    """The group of every (group, image) that occurs, once."""
    images = frame.image_codes
    size = int(images.max(initial=0)) + 1
    return np.unique(codes * size + images) // size


def _summary(n: int, images: int, mean: float, squares: float, severity: Floats) -> Summary:
    return {
        "annotations": n,
        "images": images,
        "mean": mean,
        "variance": squares / (n - 1) if n >= 2 else None,
        "severity": dict(zip(SEVERITIES, severity.tolist(), strict=True)),
    }


def _restricted(frame: RatingsFrame, name: str, labels: Iterable[str], axis: int) -> list[Summary]:
    """Scores restricted to an error type (`axis` 1) or a body part (2); cells are type-major."""
    n = len(frame)
    if not n:
        return []
    shape = (n, len(ERROR_TYPES), len(BODY_PARTS))
    other = 3 - axis
    scores = frame.cell_scores.reshape(shape).sum(axis=other)
    severity = frame.fractions.sum(axis=0).reshape(*shape[1:], len(SEVERITIES)).sum(axis=other - 1)
    images = len(np.unique(frame.image_codes))
    entries = []
    for i, label in enumerate(labels):
        mean = scores[:, i].mean()
        squares = ((scores[:, i] - mean) ** 2).sum()
        entries.append({name: label, **_summary(n, images, float(mean), float(squares), severity[i])})
    return entries


def _generator_tests(frame: RatingsFrame) -> list[Summary]:
    codes = frame.codes("generator")
    scores = {label: frame.scores[codes == code] for code, label in enumerate(frame.labels("generator"))}
    return [{"a": a, "b": b, **welch_test(scores[a], scores[b])} for a, b in combinations(scores, 2)]
