"""Scores of Muhr et al. (2024), Equations 1 and 2, as exact fractions.

Nothing is rounded: 1/3 + 1/5 stays 8/15, so equal annotations have equal scores, in whatever order they are
summed.
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Protocol

from scoring.grid.taxonomy import SEVERITIES

Weights = Mapping[str, Fraction]
"""Severity letter -> weight, all three of `a`, `b`, `c` present."""

DEFAULT_WEIGHTS: Final[Weights] = MappingProxyType(
    {"a": Fraction(1, 5), "b": Fraction(1, 2), "c": Fraction(1)}
)
LARGEST_WEIGHT: Final = 100

_DECIMAL_OR_RATIO: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20}|/0{0,8}[1-9][0-9]{0,8})?")


class Counted(Protocol):
    """The common fields of a term and a mark; a draft's mark may lack its total."""

    @property
    def affected(self) -> int: ...
    @property
    def total(self) -> int | None: ...
    @property
    def severity(self) -> str: ...


def weights_from(values: Mapping[str, object]) -> Weights:
    """Return weights from a setting: numbers, or texts such as `0.2` and `1/5`, for exactly a, b and c.

    A float is read as written (0.2 is 1/5, not the nearest binary fraction). Raises ValueError naming the
    key of a weight that is missing, unknown, not a number, negative or above 100.
    """
    for key in values:
        if key not in SEVERITIES:
            raise ValueError(f"weight {key!r}: there is no such severity")
    return MappingProxyType({severity: _weight(values, severity) for severity in SEVERITIES})


def _weight(values: Mapping[str, object], severity: str) -> Fraction:
    if severity not in values:
        raise ValueError(f"weight {severity!r} is missing")
    weight = _exact(values[severity])
    if weight is None or not 0 <= weight <= LARGEST_WEIGHT:
        raise ValueError(
            f"weight {severity!r} is not a number from 0 to {LARGEST_WEIGHT}, such as 0.2 or 1/5"
        )
    return weight


def _exact(value: object) -> Fraction | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, float):
        # repr is the shortest text that means this float: 0.2, where Fraction(0.2) has 54 binary digits.
        value = format(Decimal(repr(value)), "f")
    text = str(value).strip() if isinstance(value, str | Decimal) else ""
    return Fraction(text) if _DECIMAL_OR_RATIO.fullmatch(text) else None


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
