"""Comparison of generators, prompts, kinds of error and annotators by cumulative score.

The unit of analysis is the image. What the published study printed, annotation by annotation with an image
judged twice counting twice, stands beside it under the keys it always had.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

from analysis.stats.comparison.adjusted import adjusted_for_annotator
from analysis.stats.comparison.blocked import blocked_by_prompt
from analysis.stats.comparison.distributions import distributions, severity_sums
from analysis.stats.comparison.generators import generator_comparisons
from analysis.stats.comparison.sensitivity import weight_sensitivity
from analysis.stats.comparison.settings import settings
from analysis.stats.comparison.summaries import (
    Summary,
    by_annotator,
    by_body_part,
    by_error_type,
    by_image_column,
    people_first,
)
from analysis.stats.comparison.welch import welch_test
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import Adjudicated, ImageTable, image_table
from analysis.stats.steps import Sections, Steps

SECTIONS: Final = 14


def comparison(
    frame: RatingsFrame, steps: Steps | None = None, *, adjudicated: Adjudicated | None = None
) -> dict[str, Any]:
    """The comparison report: plain values that JSON can hold, nothing rounded.

    Summaries name what they sum up and hold annotations, images, mean, sample variance (None under two
    annotations) and median of the cumulative score, `severity`: unweighted error fractions summed by
    severity, and the same over images with an interval. Error types and body parts use the part of the
    score that falls to them. Tests compare every two generators in the order of their names.
    `adjudicated` values take the place of an image's mean over its annotations. `steps` hears between
    sections how far it is.
    """
    section = Sections(steps, SECTIONS)
    table = section(image_table(frame, adjudicated))
    return {
        **_summaries(table, section),
        "generator_tests": section(_row_tests(frame)),
        "generator_comparisons": section(generator_comparisons(table)),
        "blocked_by_prompt": section(blocked_by_prompt(table)),
        "adjusted_for_annotator": section(adjusted_for_annotator(frame)),
        "weight_sensitivity": section(weight_sensitivity(table)),
        "distributions": section(distributions(frame)),
        "severity_sums": section(severity_sums(frame)),
        "settings": settings(table),
    }


def _summaries(table: ImageTable, section: Sections) -> dict[str, list[Summary]]:
    return {
        "generators": section(by_image_column(table, "generator")),
        "prompts": section(by_image_column(table, "prompt")),
        "prompt_groups": section(people_first(by_image_column(table, "prompt_group"))),
        "error_types": section(by_error_type(table)),
        "body_parts": section(by_body_part(table)),
        "annotators": section(by_annotator(table.frame)),
    }


def _row_tests(frame: RatingsFrame) -> list[Summary]:
    """Welch's test annotation by annotation, as the published study printed it."""
    scores = frame.parts("generator", frame.scores)
    return [{"a": a, "b": b, **welch_test(scores[a], scores[b])} for a, b in combinations(scores, 2)]
