"""Ranking of the realism protocol, by the consolidated score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.protocols.realism.comparison import SCORE
from analysis.protocols.realism.images import RatedImages
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.ranking.outside import OutsideMetric
from analysis.stats.ranking.report import ranking
from analysis.stats.ranking.sources import scored_images
from analysis.stats.steps import Steps


def realism_ranking(
    frame: ValuesFrame, steps: Steps | None = None, metrics: Sequence[OutsideMetric] = ()
) -> dict[str, Any]:
    """Return the ranking by the published rule; images without a score are left out."""
    images = RatedImages(frame)
    better = SCORE.higher_is_better
    scored = scored_images(
        frame, images.first, images.scores, SCORE.title, higher_is_better=better, within=SCORE.range
    )
    return ranking(scored, steps, metrics)
