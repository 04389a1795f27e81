"""The scored images of a frame: the anatomy score, or the headline of any other protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.stats.estimates import ANY, FROM_ZERO, Range
from analysis.stats.frames import AnnotationTable, Floats, Ints, RatingsFrame
from analysis.stats.generic.comparison import Adjudicated, ImageValues
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.images import Adjudicated as AdjudicatedMarks
from analysis.stats.images import image_table
from analysis.stats.ranking.outside import OutsideMetric
from analysis.stats.ranking.report import ranking
from analysis.stats.ranking.scored import ScoredImages
from analysis.stats.steps import Steps


def ranking_of_marks(
    frame: RatingsFrame,
    steps: Steps | None = None,
    adjudicated: AdjudicatedMarks | None = None,
    metrics: Sequence[OutsideMetric] = (),
) -> dict[str, Any]:
    """Return the ranking by the cumulative score, of which lower is better; see `image_table`."""
    table = image_table(frame, adjudicated)
    images = scored_images(
        frame, table.first, table.scores, "Anatomy score", higher_is_better=False, within=FROM_ZERO
    )
    return ranking(images, steps, metrics)


def ranking_of_values(
    frame: ValuesFrame,
    steps: Steps | None = None,
    adjudicated: Adjudicated | None = None,
    metrics: Sequence[OutsideMetric] = (),
) -> dict[str, Any]:
    """Return the ranking by the protocol's headline; several annotations of an image count as their mean."""
    frame = frame.with_headline
    values, headline = ImageValues(frame, adjudicated or {}), frame.protocol.headline
    better = headline.higher_is_better
    images = scored_images(
        frame, values.first, values.scores, headline.title, higher_is_better=better, within=headline.range
    )
    return ranking(images, steps, metrics)


def scored_images(
    frame: AnnotationTable,
    first: Ints,
    scores: Floats,
    title: str,
    *,
    higher_is_better: bool,
    within: Range = ANY,
) -> ScoredImages:
    """Return the images with a score; generators and prompts without one are left out.

    `first` (m,) is the row of the frame that describes each image, `scores` (m,) its score, NaN without one,
    `within` the possible scores.
    """
    kept = ~np.isnan(scores)
    rows = first[kept]
    which, generator = np.unique(frame.codes("generator")[rows], return_inverse=True)
    asked, prompt = np.unique(frame.codes("prompt")[rows], return_inverse=True)
    generators, prompts, coders = frame.labels("generator"), frame.labels("prompt"), frame.coders("generator")
    return ScoredImages(
        title=title,
        higher_is_better=higher_is_better,
        generators=tuple(generators[code] for code in which),
        prompts=tuple(prompts[code] for code in asked),
        scores=scores[kept],
        generator=generator,
        prompt=prompt,
        images=frame.annotations["image"].to_numpy()[rows],
        coders=coders[which],
        range=within,
    )
