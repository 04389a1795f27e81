"""How far an image's score depends on which raters it happened to have.

The image's votes are resampled with replacement and consolidated again (B. Efron, R. J. Tibshirani, "An
Introduction to the Bootstrap", 1993). Up to `ENUMERATED` raters every distinct resample is counted with its
probability, so the result is exact; with more, `DRAWN` resamples are drawn by a fixed seed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Final

from scoring.protocol import INVALID_FROM
from scoring.realism.consolidation import RealismClass, consolidate

ENUMERATED: Final = 6
DRAWN: Final = 2_000
SEED: Final = 7
TAIL: Final = Fraction(1, 40)


@dataclass(frozen=True)
class Reliability:
    """The middle 95% of an image's scores over resamples of its raters, and how often its class changes.

    `changes` is the share of resamples with another class; having no score counts as another one. `low` and
    `high` are over resamples with a score.
    """

    low: Fraction
    high: Fraction
    changes: Fraction


def reliability_of(
    ratings: Iterable[int], invalid_votes: int = 0, invalid_from: int = INVALID_FROM
) -> Reliability | None:
    """Return the reliability of an image's score, None without one; raise ValueError as `consolidate`."""
    return _reliability(tuple(sorted(ratings)), invalid_votes, invalid_from)


# Five raters give 3,003 different sets of votes at most, however many images there are.
@lru_cache(maxsize=1 << 14)
def _reliability(ratings: tuple[int, ...], invalid_votes: int, invalid_from: int) -> Reliability | None:
    own, own_class = _outcome(ratings, invalid_votes, invalid_from)
    if own is None:
        return None
    changed, total = 0, 0
    scores: Counter[Fraction] = Counter()
    for rated, weight in _resamples(ratings, invalid_votes):
        score, its_class = _outcome(rated, len(ratings) + invalid_votes - len(rated), invalid_from)
        total += weight
        changed += weight * (its_class != own_class)
        if score is not None:
            scores[score] += weight
    return Reliability(_quantile(scores, TAIL), _quantile(scores, 1 - TAIL), Fraction(changed, total))


def _resamples(ratings: tuple[int, ...], invalid_votes: int) -> Iterable[tuple[tuple[int, ...], int]]:
    """Yield the ratings of each resample, and how many of all resamples it stands for."""
    votes = len(ratings) + invalid_votes
    if votes <= ENUMERATED:
        for drawn, ways in _every(votes):
            yield tuple([ratings[place] for place in drawn if place < len(ratings)]), ways
        return
    # Statistics, not secrets.
    chance = random.Random(f"{SEED}|{ratings}|{invalid_votes}")  # noqa: S311
    for _ in range(DRAWN):
        drawn = tuple(sorted(chance.randrange(votes) for _ in range(votes)))
        yield tuple(ratings[place] for place in drawn if place < len(ratings)), 1


@lru_cache
def _every(votes: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the distinct resamples of so many votes, ascending, and the ways to draw each."""
    return [
        (drawn, factorial(votes) // prod(factorial(times) for times in Counter(drawn).values()))
        for drawn in combinations_with_replacement(range(votes), votes)
    ]


@lru_cache(maxsize=1 << 16)
def _outcome(
    ratings: tuple[int, ...], invalid_votes: int, invalid_from: int
) -> tuple[Fraction | None, RealismClass | None]:
    consolidation = consolidate(ratings, invalid_votes, invalid_from)
    return consolidation.score, consolidation.realism_class


def _quantile(scores: Counter[Fraction], share: Fraction) -> Fraction:
    """Return the smallest score that at least this share of resamples does not exceed."""
    needed, passed = share * scores.total(), 0
    for score in sorted(scores):
        passed += scores[score]
        if passed >= needed:
            return score
    raise ValueError("no resample has a score")
