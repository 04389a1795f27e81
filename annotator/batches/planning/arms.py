"""Draw who sees a suggestion: within annotator and generator, as evenly as whole numbers allow."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor

from annotator.batches.planning.randomness import Stream

PARTS = 2**20
"""Steps in which a place to begin is drawn."""


def arms(cells: Sequence[tuple[str, str]], share: Fraction, seed: int) -> list[bool]:
    """Return for each assignment, given as (annotator, generator), whether it is in the arm *with*.

    Of the n assignments of an annotator and generator, n · share rounded down or up are, and so of all of
    the annotator: the counts follow one running sum that begins at a random place (systematic sampling, Madow
    1949). Which of the n is drawn. The same seed gives the same arms.
    """
    places: dict[str, dict[str, list[int]]] = {}
    for place, (annotator, generator) in enumerate(cells):
        places.setdefault(annotator, {}).setdefault(generator, []).append(place)
    drawn = [False] * len(cells)
    for annotator in sorted(places):
        stream = Stream(seed, "arms", annotator)
        start = Fraction(stream.below(PARTS), PARTS)
        total = 0
        for generator in stream.shuffled(sorted(places[annotator])):
            own = places[annotator][generator]
            number = floor((total + len(own)) * share + start) - floor(total * share + start)
            total += len(own)
            for place in stream.shuffled(own)[:number]:
                drawn[place] = True
    return drawn
