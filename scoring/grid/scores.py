"""Scores of Muhr et al. (2024), Equations 1 and 2, as exact fractions.

Nothing is rounded: 1/3 + 1/5 stays 8/15, so equal annotations have equal scores, in whatever order they are
summed.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Protocol

from scoring.grid.severity_weights import DEFAULT_WEIGHTS, Weights


class Counted(Protocol):
    """The common fields of a term and a mark; a draft's mark may lack its total."""

    @property
    def affected(self) -> int: ...
    @property
    def total(self) -> int | None: ...
    @property
    def severity(self) -> str: ...


def error_fraction(affected: int, total: int) -> Fraction:
    """Return the affected fraction of a body part (Equation 1): affected / total, in (0, 1].

    Raises ValueError unless 1 <= affected <= total.
    """
    if not 1 <= affected <= total:
        raise ValueError(f"no such fraction of body parts: {affected}/{total}")
    return Fraction(affected, total)


def cell_score(terms: Iterable[Counted], weights: Weights = DEFAULT_WEIGHTS) -> Fraction:
    """Return the inner sum of Equation 2: error fractions times the weight of their severity.

    Raises ValueError for a mark without a total.
    """
    return sum((weights[term.severity] * _fraction(term) for term in terms), start=Fraction(0))


def cumulative_score(
    marks: Mapping[str, Iterable[Counted]] | Iterable[Counted], weights: Weights = DEFAULT_WEIGHTS
) -> Fraction:
    """Return the sum of all cell scores (Equation 2): 0 for no errors, without an upper bound.

    `marks` are all marks of an annotation, or the terms by cell key.
    Raises ValueError for a mark without a total.
    """
    if isinstance(marks, Mapping):
        return sum((cell_score(terms, weights) for terms in marks.values()), start=Fraction(0))
    return cell_score(marks, weights)


def _fraction(term: Counted) -> Fraction:
    if term.total is None:
        raise ValueError("a mark without a total has no error fraction")
    return error_fraction(term.affected, term.total)
