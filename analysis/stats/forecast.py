"""When the work left will be done at the pace of the last days, with an 80% range.

The days' counts are taken as independent with mean m and standard deviation s. What is done after d further
days is d·m ± t·s·√(d + d²/n): the days to come vary, and m is itself estimated from n days. The range ends
where these bounds reach the work left; it has no end where the slower bound never does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Final

DAYS: Final = 7
FEWEST_DAYS: Final = 3
"""Days with annotations below which there is no forecast."""

# Student's t, 90th percentile: 80% lie between its negative and itself. By degrees of freedom, n - 1.
_T: Final = {2: 1.886, 3: 1.638, 4: 1.533, 5: 1.476, 6: 1.440}


@dataclass(frozen=True)
class Forecast:
    """Days from now until the work is done: `expected`, between `low` and `high` (None: no end)."""

    per_day: float
    expected: float
    low: float
    high: float | None


def forecast(per_day: Sequence[int], left: int) -> Forecast | None:
    """Return when `left` annotations will be done; `per_day` are the counts of the last complete days.

    At most the last `DAYS` count. None with fewer than `FEWEST_DAYS` days, on fewer of which something was
    done, or without work left.
    """
    days = list(per_day)[-DAYS:]
    if left <= 0 or sum(count > 0 for count in days) < FEWEST_DAYS:
        return None
    pace, spread = mean(days), _T[len(days) - 1] * stdev(days)
    return Forecast(
        per_day=pace,
        expected=left / pace,
        low=_reached(left, pace, spread, len(days), 1) or 0.0,
        high=_reached(left, pace, spread, len(days), -1),
    )


def _reached(left: int, pace: float, spread: float, n: int, sign: int) -> float | None:
    """Return the d at which d·pace + sign·spread·√(d + d²/n) = left; None if there is none."""
    if sign < 0 and pace - spread / sqrt(n) <= 0:
        return None
    # Squared: (left - d·pace)² = spread²·(d + d²/n). The smaller root has the plus, the larger the minus.
    a = pace * pace - spread * spread / n
    b = -(2 * left * pace + spread * spread)
    c = float(left * left)
    if abs(a) < 1e-12:
        return -c / b
    root = sqrt(b * b - 4 * a * c)
    found = sorted(((-b - root) / (2 * a), (-b + root) / (2 * a)))
    ahead = [d for d in found if d > 0]
    return min(ahead) if sign > 0 else max(ahead)
