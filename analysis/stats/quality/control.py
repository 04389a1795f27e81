"""Control charts: whether an annotator's differences from references have left their usual range.

The exponentially weighted moving average (EWMA) of S. W. Roberts, "Control chart tests based on geometric
moving averages", Technometrics 1 (1959) 239-250; limits as in J. M. Lucas, M. S. Saccucci, "Exponentially
weighted moving average control schemes", Technometrics 32 (1990) 1-12, whose λ = 0.2 with L = 2.7 suits
shifts of about one standard deviation. The centre is 0: no difference from the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.stats.frames import Bools, Floats

LAMBDA: Final = 0.2
WIDTH: Final = 2.7
BASELINE: Final = 8
"""Anchors that a standard deviation, and a verdict, need."""
LASTING: Final = 3
"""Averages in a row beyond one limit that make an alarm."""
RECENT: Final = 10
"""Anchors for which an alarm stays: averages of a real shift often cross the limit again."""


@dataclass(frozen=True)
class Chart:
    """A control chart of n differences: (n,) `average` and `limit`; `sigma` is the standard deviation.

    Without a sigma there are no limits, and `refused` says why.
    """

    differences: Floats
    average: Floats
    limit: Floats
    sigma: float | None
    refused: str = ""

    @property
    def alarms(self) -> bool:
        """Whether any of the last `RECENT` averages made an alarm."""
        return bool(self.sigma and alarms(self.average, self.limit)[-RECENT:].any())

    @property
    def out_since(self) -> int | None:
        """The anchor, from 1, at which the last series beyond one limit began; None without one."""
        if not self.sigma:
            return None
        beyond = np.sign(self.average) * (np.abs(self.average) > self.limit)
        out = np.flatnonzero(beyond)
        if not len(out):
            return None
        other = np.flatnonzero(beyond[: out[-1]] != beyond[out[-1]])
        return int(other[-1]) + 2 if len(other) else 1


def averages(differences: Floats) -> Floats:
    """Return (…, n): z_i = λ d_i + (1 − λ) z_(i−1), z_0 = 0, of (…, n) differences."""
    found = np.empty_like(differences, dtype=np.float64)
    last = np.zeros(differences.shape[:-1])
    for place in range(differences.shape[-1]):
        last = LAMBDA * differences[..., place] + (1 - LAMBDA) * last
        found[..., place] = last
    return found


def limits(count: int, sigma: float = 1.0) -> Floats:
    """Return (count,): L σ √(λ/(2 − λ) · (1 − (1 − λ)^(2i))), the limits on either side of 0."""
    place = np.arange(1, count + 1)
    return np.asarray(WIDTH * sigma * np.sqrt(LAMBDA / (2 - LAMBDA) * (1 - (1 - LAMBDA) ** (2 * place))))


def chart(differences: Sequence[float], sigma: float | None, refused: str = "") -> Chart:
    """Return the control chart of an annotator's differences, in the order of submission."""
    values = np.asarray(differences, dtype=np.float64)
    known = sigma if sigma else None
    limit = np.full(len(values), np.nan) if known is None else limits(len(values), known)
    return Chart(values, averages(values), limit, known, refused)


def alarms(average: Floats, limit: Floats) -> Bools:
    """Return (…, n): whether (…, n) averages have been beyond one limit for `LASTING` anchors.

    Never before `BASELINE` anchors.
    """
    found = np.zeros(average.shape, dtype=np.bool_)
    for side in (1, -1):
        beyond = side * average > limit
        held = beyond.copy()
        for back in range(1, LASTING):
            held[..., back:] &= beyond[..., :-back]
            held[..., :back] = False
        found |= held
    found[..., : BASELINE - 1] = False
    return found
