"""The methods paragraph of an annotators report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.methods import computed_with


def annotator_methods(result: Mapping[str, Any]) -> str:
    """Return a paragraph from the report's settings; empty for a result without settings."""
    settings = result.get("settings")
    people = result.get("annotators", [])
    if not settings or "replicates" not in settings or not people:
        return ""
    intervals = settings["intervals"]
    fixed = "Annotators and prompts are held fixed."
    return (
        f"Leniency of {len(people)} annotators was measured by the difference between their cumulative "
        f"scores and those of other annotators on the same images, and by the share of cells marked by "
        f"others that they also marked; drift by the least-squares slope of the score over the order of "
        f"submission, per "
        f"{settings.get('drift_step', 10)} images. Intervals of {100 * settings['confidence']:.0f} % "
        f"resample images: {intervals['large']}, {settings['replicates']:,} replicates, "
        f"seed {settings['seed']}; {intervals['small']}. {fixed} {computed_with(settings)}"
    )
