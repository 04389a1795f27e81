"""Comparison of generators, prompts, error types and annotators by cumulative score.

The unit of analysis is the image. Numbers as in the published study, by annotation with a doubly annotated
image counting twice, are included under their original keys.
"""

from __future__ import annotations

import platform
from importlib.metadata import version
from itertools import combinations
from typing import Any, Final

from analysis.stats.comparison.adjusted_means import adjusted_means
from analysis.stats.comparison.balance import balance
from analysis.stats.comparison.crossed import generators_by_prompt
from analysis.stats.comparison.distributions import distributions, severity_sums
from analysis.stats.comparison.generator_cells import generator_cells
from analysis.stats.comparison.generators import by_annotation, generator_comparisons
from analysis.stats.comparison.group_tests import group_tests
from analysis.stats.comparison.mixed import mixed_model
from analysis.stats.comparison.summaries import (
    Summary,
    by_annotator,
    by_body_part,
    by_error_type,
    by_image_column,
    generators,
    named,
    people_first,
)
from analysis.stats.comparison.weights import under_weights
from analysis.stats.comparison.welch import welch_test
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import Adjudicated, ImageTable, image_table
from analysis.stats.steps import Sections, Steps
from analysis.stats.strips import strips

LIBRARIES = ("numpy", "scipy")
SECTIONS: Final = 18


def comparison(
    frame: RatingsFrame, steps: Steps | None = None, *, adjudicated: Adjudicated | None = None
) -> dict[str, Any]:
    """Return the comparison report as plain JSON values, unrounded.

    Summaries name their group and hold annotations, images, mean, sample variance (None below two
    annotations) and median of the cumulative score, `severity`: unweighted error fractions summed by
    severity, and the same over images with an interval. Error types and body parts use their part of the
    score. Tests compare every two generators, by name; only those of `mixed_model` are verdicts.
    `adjudicated` values replace an image's mean over its annotations. `steps` receives the progress between
    sections.
    """
    section = Sections(steps, SECTIONS)
    table = section(image_table(frame, adjudicated))
    adjusted = section(adjusted_means(frame))
    mixed = section(mixed_model(frame))
    return {
        "balance": section(balance(frame)),
        "adjusted": adjusted,
        **_summaries(table, section),
        "generator_tests": section(_row_tests(frame)),
        "generator_comparisons": section(generator_comparisons(table)),
        "mixed_model": mixed,
        "group_tests": section(group_tests(table)),
        "generators_by_prompt": section(generators_by_prompt(table)),
        "weights": section(under_weights(table)),
        "distributions": section(distributions(frame)),
        "severity_sums": section(severity_sums(frame)),
        "generator_cells": section(generator_cells(table)),
        "by_annotation": by_annotation(frame),
        "strips": strips(table),
        "settings": _settings(table),
    }


def _summaries(table: ImageTable, section: Sections) -> dict[str, list[Summary]]:
    return {
        "generators": section(generators(table)),
        "prompts": section(by_image_column(table, "prompt")),
        "prompt_groups": section(people_first(by_image_column(table, "prompt_group"))),
        "error_types": section(by_error_type(table)),
        "body_parts": section(by_body_part(table)),
        "annotators": section(by_annotator(table.frame)),
    }


def _row_tests(frame: RatingsFrame) -> list[Summary]:
    """Return Welch's test over annotations, as in the published study."""
    scores = frame.parts("generator", frame.scores)
    return [{"a": a, "b": b, **welch_test(scores[a], scores[b])} for a, b in combinations(scores, 2)]


def _settings(table: ImageTable) -> dict[str, Any]:
    """Return population, unit, weights, choices and versions: sufficient to reproduce the result."""
    frame = table.frame
    return {
        "unit": "image",
        "annotations": len(frame),
        "images": len(table),
        "images_judged_more_than_once": int((table.coders > 1).sum()),
        "images_adjudicated": table.adjudicated,
        "annotators": len(frame.labels("annotator")),
        "weights": named(frame.weights),
        "confidence": CONFIDENCE,
        "intervals": "Student's t over images",
        "test": "Welch, two-sided",
        "correction": "Holm",
        "effect": "Hedges' g, large-sample variance",
        "seed": None,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
    }
