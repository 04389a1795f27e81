"""The settings of a comparison, sufficient to reproduce the result."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

from analysis.stats.comparison.summaries import named
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.images import ImageTable

LIBRARIES = ("numpy", "scipy")


def settings(table: ImageTable) -> dict[str, Any]:
    """Return population, unit, weights, choices and versions."""
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
