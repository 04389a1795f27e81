"""Unreadable terms of the published file, and the effect of every possible reading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final

import numpy as np

from analysis.stats.frames import Floats, RatingsFrame

# Four readings per term: 6 terms need 4096 recomputations.
MOST_TERMS: Final = 6

_NUMBERS: Final = re.compile(r"\s*([0-9]{1,3})\s*[a-cA-C]?\s*/\s*([0-9]{1,3})\s*[a-cA-C]?\s*")


@dataclass(frozen=True)
class SkippedTerm:
    """`1/5` without a severity, by one annotator of one image: a fraction that no score contains."""

    image: int
    annotator: str
    fraction: Fraction


def skipped_term(image: int, annotator: str, text: str) -> SkippedTerm | None:
    """Return the fraction in an unreadable term such as `1/5` or `1c/5c`; None without a fraction."""
    match = _NUMBERS.fullmatch(text)
    if match is None or int(match[2]) == 0:
        return None
    return SkippedTerm(image, annotator, Fraction(int(match[1]), int(match[2])))


def readings(frame: RatingsFrame, terms: Sequence[SkippedTerm]) -> Iterator[tuple[tuple[float, ...], Floats]]:
    """Yield every reading of the terms: their weights (0 left out, else a, b or c) and the scores (n,).

    Raise ValueError for more than `MOST_TERMS` terms and for a term whose annotation is not in the frame.
    """
    if len(terms) > MOST_TERMS:
        raise ValueError(f"{len(terms)} terms have too many readings")
    places = [_place(frame, term) for term in terms]
    for weights in product((0.0, *frame.weights.tolist()), repeat=len(terms)):
        scores = frame.scores.copy()
        for place, term, weight in zip(places, terms, weights, strict=True):
            scores[place] += weight * float(term.fraction)
        yield weights, scores


def _place(frame: RatingsFrame, term: SkippedTerm) -> int:
    table = frame.annotations
    places = np.flatnonzero((table["image"] == term.image) & (table["annotator"] == term.annotator))
    if len(places) != 1:
        raise ValueError(f"no annotation of image {term.image} by {term.annotator}")
    return int(places[0])
