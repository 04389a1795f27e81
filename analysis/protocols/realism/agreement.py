"""Agreement of the realism protocol: three alphas, and the intraclass correlations of the ratings.

Ratings are compared on images that are not invalid; valid and invalid on all images.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from analysis.protocols.realism.images import RatedImages
from analysis.stats.estimates import Estimate
from analysis.stats.generic.agreement import agreement, agreement_of_values
from analysis.stats.generic.intraclass import one_way
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.steps import Steps
from scoring.protocol import Variable
from scoring.realism.protocol import RATING

INTERVAL: Final = replace(
    RATING,
    name="rating_interval",
    title="Realism, equal steps",
    level_of_measurement="interval",
    headline=False,
)
VALID: Final = Variable(
    name="valid",
    title="Valid or invalid",
    level_of_measurement="nominal",
    value_domain="1 for a rating, 0 for an invalid vote",
    values=(0, 1),
)


def realism_agreement(frame: ValuesFrame, steps: Steps | None = None) -> dict[str, Any]:
    """Return the generic agreement report of the three variables, with the intraclass correlations."""
    images = RatedImages(frame)
    counted = images.counted[:, None]
    compared = replace(
        frame,
        protocol=replace(frame.protocol, variables=(RATING, INTERVAL, VALID)),
        values={
            RATING.name: counted,
            INTERVAL.name: counted,
            VALID.name: (~np.isnan(images.ratings)).astype(np.float64)[:, None],
        },
    )
    one, several, raters = correlations(RatedImages(frame.comparable))
    further = [(f"{RATING.title}: ICC(1,1), one rating", one)]
    if raters > 1:
        further.append((f"{RATING.title}: ICC(1,k), mean of {raters} ratings", several))
    return agreement(compared, replace(agreement_of_values, further=lambda _: further), steps)


def correlations(images: RatedImages) -> tuple[Estimate, Estimate, int]:
    """Return ICC(1,1), ICC(1,k), and k, the most ratings of an image, over images that are not invalid."""
    rows = np.flatnonzero(~np.isnan(images.counted))
    n_annotators = len(np.unique(images.frame.codes("annotator")[rows]))
    return one_way(images.counted[rows], images.codes[rows], n_annotators)
