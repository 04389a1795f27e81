"""Consolidate the realism ratings of one image by several raters into one score.

Source: Algorithm 1 of the BodyRealism data set, in exact fractions. What it leaves open is decided here: one
or two invalid votes are left out, and fewer than three ratings give no score.

The rule is not monotone. The ratings 1, 1, 1, 8, 8 give 8, but 1, 1, 1, 8, 9 give 1: of the 9,009 ways to
raise one of five ratings by 1, 1,103 lower the score. Where most ratings are equal, the interval is empty and
nothing is left out: 1, 9, 9, 9, 9 give their mean, 7.4. So every score comes with the branch that gave it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Final, Literal

from scoring.protocol import INVALID_FROM

Branch = Literal["invalid", "too_few", "top_two", "kept", "none_kept"]
RealismClass = Literal["low", "middle", "high"]

VERSION: Final = "published-1"
CLASSES: Final[tuple[RealismClass, ...]] = ("low", "middle", "high")
LOWEST, HIGHEST = 1, 10
FEWEST_RATINGS: Final = 3
TOP_TWO_UP_TO: Final = 8
LOW_BELOW, HIGH_ABOVE = 3, 7
BRANCHES: Final[dict[Branch, str]] = {
    "invalid": "three or more invalid votes",
    "too_few": "too few ratings",
    "top_two": "mean of the two highest, as none is above 8",
    "kept": "mean of the ratings strictly inside median ± half the interquartile range",
    "none_kept": "mean of all, as none is strictly inside median ± half the interquartile range",
}
"""What each branch does."""


@dataclass(frozen=True)
class Consolidated:
    """The outcome of one image: `ratings` ascending, the branch taken, and the score unless it has none.

    `median`, `lower` and `upper` are None unless the branch computes them; `kept` are the ratings whose mean
    is the score.
    """

    ratings: tuple[int, ...]
    invalid_votes: int
    branch: Branch
    score: Fraction | None = None
    kept: tuple[int, ...] = ()
    median: Fraction | None = None
    lower: Fraction | None = None
    upper: Fraction | None = None
    invalid_from: int = INVALID_FROM

    @property
    def realism_class(self) -> RealismClass | None:
        """The class of the score; None without a score."""
        return None if self.score is None else class_of(self.score)

    @property
    def unstable(self) -> bool:
        """Whether a single rating higher or lower by 1 would change the class; False without a score."""
        if self.score is None:
            return False
        return any(
            consolidate(changed, self.invalid_votes, self.invalid_from).realism_class != self.realism_class
            for changed in _neighbours(self.ratings)
        )


def consolidate(
    ratings: Iterable[int], invalid_votes: int = 0, invalid_from: int = INVALID_FROM
) -> Consolidated:
    """Return the outcome of one image from its ratings (1 to 10, in any order) and its invalid votes.

    From `invalid_from` invalid votes on, the image is invalid.
    Raise ValueError for a rating outside 1 to 10.
    """
    ascending = tuple(sorted(ratings))
    if ascending and not LOWEST <= ascending[0] <= ascending[-1] <= HIGHEST:
        raise ValueError(f"ratings are from {LOWEST} to {HIGHEST}, not {ascending}")
    return _consolidated(ascending, invalid_votes, invalid_from)


# Five raters give 2,002 different outcomes at most, however many images there are.
@lru_cache(maxsize=1 << 16)
def _consolidated(ratings: tuple[int, ...], invalid_votes: int, invalid_from: int) -> Consolidated:
    made = partial(Consolidated, ratings, invalid_votes, invalid_from=invalid_from)
    if invalid_votes >= invalid_from:
        return made("invalid")
    if len(ratings) < FEWEST_RATINGS:
        return made("too_few")
    if ratings[-1] <= TOP_TWO_UP_TO:
        top = ratings[-2:]
        return made("top_two", mean_of(top), top)
    median = quantile(ratings, Fraction(1, 2))
    half = (quantile(ratings, Fraction(3, 4)) - quantile(ratings, Fraction(1, 4))) / 2
    lower, upper = median - half, median + half
    inside = tuple(rating for rating in ratings if lower < rating < upper)
    kept = inside or ratings
    branch: Branch = "kept" if inside else "none_kept"
    return made(branch, mean_of(kept), kept, median, lower, upper)


def words_of(branch: Branch, invalid_from: int = INVALID_FROM) -> str:
    """Return what a branch does where images are invalid from so many votes on."""
    if branch == "invalid" and invalid_from != INVALID_FROM:
        return f"{invalid_from} or more invalid votes"
    return BRANCHES[branch]


def rule_of(invalid_from: int = INVALID_FROM) -> str:
    """Return the rule and its version, with the number of invalid votes if it is not the published one."""
    return VERSION if invalid_from == INVALID_FROM else f"{VERSION} invalid_from={invalid_from}"


def mean_of(ratings: tuple[int, ...]) -> Fraction:
    """Return the exact mean; raise ZeroDivisionError for no ratings."""
    return Fraction(sum(ratings), len(ratings))


def quantile(ascending: tuple[int, ...], share: Fraction) -> Fraction:
    """Return a quantile by linear interpolation between the ratings at (n - 1) · share.

    Source: type 7 of R. J. Hyndman and Y. Fan (1996), Sample quantiles in statistical packages, The American
    Statistician 50, 361-365.
    """
    position = (len(ascending) - 1) * share
    below = int(position)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (position - below) * (ascending[above] - ascending[below])


def class_of(score: Fraction) -> RealismClass:
    """Return low below 3, high above 7, else middle."""
    if score < LOW_BELOW:
        return "low"
    return "high" if score > HIGH_ABOVE else "middle"


def _neighbours(ratings: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    for place, rating in enumerate(ratings):
        for changed in (rating - 1, rating + 1):
            if LOWEST <= changed <= HIGHEST:
                yield (*ratings[:place], changed, *ratings[place + 1 :])
