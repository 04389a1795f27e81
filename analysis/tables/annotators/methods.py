"""The methods paragraph of an annotators report."""

from __future__ import annotations

from analysis.tables.agreement.methods import resampling
from analysis.tables.methods import Result, classification, computed_with, counted, scores


def annotator_methods(result: Result) -> str:
    """Return a paragraph from the report's settings; empty without annotators."""
    settings = result["settings"]
    people = settings["annotators"]
    if not people:
        return ""
    return " ".join(
        [
            classification(),
            scores(result),
            f"The leniency of {counted(people, 'annotator')} was measured by the difference between their "
            "cumulative scores and the mean of those of other annotators of the same images, and by the "
            "share of the cells marked by another annotator that they marked too; drift by the least-squares "
            f"slope of the score over the order of submission, per {settings['drift_step']} images.",
            resampling(result),
            computed_with(result),
        ]
    )
