"""The methods paragraph of an annotators report."""

from __future__ import annotations

from analysis.tables.agreement.methods import resampling
from analysis.tables.methods import Result, classification, computed_with, counted, scores


def annotator_methods(result: Result) -> str:
    """Return a paragraph from the report's settings; empty without annotators."""
    people = result["settings"]["annotators"]
    if not people:
        return ""
    return " ".join(
        [
            classification(),
            scores(result),
            f"{counted(people, 'annotator').capitalize()} were compared with others of the same images by "
            "the difference between their cumulative scores and the mean of the others', and by the share of "
            "the cells marked by another annotator that they marked too.",
            resampling(result),
            computed_with(result),
        ]
    )
