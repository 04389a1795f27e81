"""The weights of the severities: the published ones, and how a setting gives others, as exact fractions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from scoring.grid.taxonomy import SEVERITIES

Weights = Mapping[str, Fraction]
"""Severity letter -> weight, all three of `a`, `b`, `c` present."""

PUBLISHED: Final[Mapping[str, str]] = MappingProxyType({"a": "0.2", "b": "0.5", "c": "1"})
"""The weights of Muhr et al. (2024) as decimal text, with which a project begins."""
LARGEST_WEIGHT: Final = 100

_DECIMAL_OR_RATIO: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20}|/0{0,8}[1-9][0-9]{0,8})?")


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


DEFAULT_WEIGHTS: Final[Weights] = weights_from(PUBLISHED)
