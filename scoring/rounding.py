"""Rounding for people: a half goes up, away from zero, as they do it by hand.

Python's formats round an exact half to the even neighbour: 12.5 becomes 12, but 37.5 becomes 38.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from math import isfinite


def half_up(value: float, places: int) -> str:
    """Return the number with groups of three digits: `1,234.57`.

    Of 100 × 0.145, which is 14.499999999999998, the first 14 digits count: 15.
    """
    if not isfinite(value):
        return f"{value:,.{places}f}"
    rounded = Decimal(f"{value:.14g}").quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return f"{rounded:,f}"


def percent(share: float) -> str:
    """Return a share in whole percent, without the sign: `13`."""
    return half_up(100 * share, 0)


def seconds(milliseconds: float) -> str:
    """Return a duration as it is shown: `3.1 s`, from ten seconds on without a decimal."""
    value = milliseconds / 1000
    return f"{value:.1f} s" if value < 9.95 else f"{value:.0f} s"
