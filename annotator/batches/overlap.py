"""The usual overlap of a batch: how many images several annotators get, and how many annotators each."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from annotator.batches.planning.design import ENOUGH_SHARED
from scoring.service import get_protocol


def usual_overlap(protocol: str, images: int = 0) -> tuple[Fraction, int]:
    """Return the overlap of a new batch unless a lead asks for another, and the annotators of its images.

    It is a quarter of the images. Of fewer than 80 images it is more, in steps of 5%, so that `ENOUGH_SHARED`
    of them have several annotators.
    """
    raters = get_protocol(protocol).raters
    if raters:
        return Fraction(1), raters
    steps = ceil(Fraction(20 * ENOUGH_SHARED, images)) if images else 0
    return Fraction(min(max(steps, 5), 20), 20), 2
