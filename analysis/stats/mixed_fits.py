"""The REML estimates of a mixed model, and what follows from them.

Degrees of freedom of a contrast: F. E. Satterthwaite, "An approximate distribution of estimates of variance
components", Biometrics Bulletin 2 (1946) 110-114, by derivatives of the deviance as in A. Kuznetsova, P. B.
Brockhoff, R. H. B. Christensen, "lmerTest package", Journal of Statistical Software 82 (2017).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import optimize

from analysis.stats.frames import Bools, Floats, Ints
from analysis.stats.mixed_models import CROSSED, IMAGE, MixedModel

STARTS: Final = (1.0, 0.2, 8.0)
"""Square roots of the variance ratios from which the deviance is descended."""
ENTERING: Final = 0.05
"""From here a component that ended at zero is let in again: from further, the way may lead back."""
MANY: Final = 1_000
"""Beyond so many annotations, small components count too: all starts come nearer to zero, by the square root,
and the deviance is divided, so that one step does not leap to zero and its rounding counts as no descent."""
FEW_LEVELS: Final = 200
"""Levels of the crossing factors up to which all starts are tried; with more, each takes seconds."""
ALIKE: Final = 1e-6
"""Where the starts end at deviances within this, there is little sign of several minima."""
SAME: Final = 1e-8
"""Deviances that differ by less are equal."""
# A component below this share of the residual variance counts as zero: its derivatives are not defined.
_ZERO: Final = 1e-7
_STEP: Final = 1e-3
# Standard deviations are at most this many residual ones, so that the equations can be solved.
_MOST: Final = 1e3


class Contrast(NamedTuple):
    """A linear combination of the fixed effects, its standard error and its degrees of freedom.

    These are at most the observations less the fixed effects. Below 1, the components cannot be told apart.
    """

    value: float
    standard_error: float
    df: float


@dataclass(frozen=True)
class MixedFit:
    """A fitted model: `variances` (4 + factors,) and the `deviance` at the optimum."""

    model: MixedModel
    variances: Floats
    deviance: float

    @cached_property
    def _solved(self) -> tuple[Floats, Floats]:
        return self.model.solved(self.variances)

    @property
    def has_residual(self) -> bool:
        """Return whether anything is left once the other components are taken out."""
        return bool(self.variances[0] > 1e-5 * self.variances.sum())

    @property
    def effects(self) -> Floats:
        """Return (p,): the fixed effects."""
        return self._solved[0]

    @cached_property
    def _moving(self) -> Ints:
        """Return the components that are not zero."""
        return np.flatnonzero(self.variances > _ZERO * self.variances[0])

    @cached_property
    def covariance_of_logs(self) -> Floats:
        """Return (m, m): the asymptotic covariance of the logs of the variances that are not zero."""
        moving = self._moving
        hessian = _gradient(
            lambda logs: self.model.slope_of_logs(self._at(logs))[moving], np.log(self.variances[moving])
        )
        return np.asarray(2 * np.linalg.pinv((hessian + hessian.T) / 2, hermitian=True))

    @cached_property
    def _covariance_by_logs(self) -> Floats:
        """Return (m, p, p): derivatives of the fixed effects' covariance by the logs of the variances."""
        logs = np.log(self.variances[self._moving])
        return _gradient(lambda at: self.model.solved(self._at(at))[1], logs)

    def delta(self, of: Callable[[Floats], float]) -> float:
        """Return the standard error of a function of the variances (4 + factors,), by the delta method."""
        gradient = _gradient(lambda logs: of(self._at(logs)), np.log(self.variances[self._moving]))
        return float(np.sqrt(gradient @ self.covariance_of_logs @ gradient))

    def contrast(self, weights: Floats) -> Contrast:
        """Return the combination of the fixed effects with these (p,) weights."""
        effects, covariance = self._solved
        variance = float(weights @ covariance @ weights)
        gradient = weights @ self._covariance_by_logs @ weights
        of_variance = float(gradient @ self.covariance_of_logs @ gradient)
        most = float(self.model.n - self.model.p)
        df = min(2 * variance**2 / of_variance, most) if of_variance > 0 else most
        return Contrast(float(weights @ effects), variance**0.5, df)

    def _at(self, logs: Floats) -> Floats:
        variances = np.zeros_like(self.variances)
        variances[self._moving] = np.exp(logs)
        return variances


def fit(model: MixedModel, without: Sequence[int] = ()) -> MixedFit:
    """Return the REML estimates; the variances at the places `without` are fixed at zero.

    The deviance may have its minimum where a variance is zero, so the search is bounded. By the square root
    of a ratio, its derivative is zero there, whether or not that is a minimum, and there may be several
    minima. So several starts are descended from; then each zero is left, and each other component set to
    zero, as long as that leads further down. Only if the starts end apart, the others then start anew too.
    """
    free = np.array([place not in without for place in range(IMAGE, CROSSED + len(model.levels))])
    starts = STARTS if sum(model.levels) <= FEW_LEVELS else STARTS[:1]
    near = _times_many(model) ** -0.5
    ends = [descended(model, np.where(free, start * near, 0.0)) for start in starts]
    best = min(ends, key=lambda end: end[0])
    apart = any(deviance > best[0] + ALIKE for deviance, _ in ends)
    while True:
        others = (descended(model, turned) for turned in _turned(best[1], free, near, anew=apart))
        better = next((end for end in others if _is_better(end, best)), None)
        if better is None:
            break
        best = better
    deviance, deviations = best
    residual = model.residual(deviations)
    return MixedFit(model, np.concatenate([[residual], deviations**2 * residual]), deviance)


def _times_many(model: MixedModel) -> float:
    return max(1.0, model.df / MANY)


def _is_better(one: tuple[float, Floats], other: tuple[float, Floats]) -> bool:
    """Return whether the first end is lower; of equal ones, that with more zeros: it has an interval."""
    more_zeros = int((one[1] == 0).sum()) > int((other[1] == 0).sum())
    return one[0] < other[0] + (SAME if more_zeros else -SAME)


def descended(model: MixedModel, start: Floats) -> tuple[float, Floats]:
    """Return the deviance and the deviations (3 + factors,) of the minimum below a start.

    What is zero at the start stays zero.
    """
    if not start.any():
        return model.deviance(start), start
    moving, scale = np.flatnonzero(start), _times_many(model)

    def deviance(at: Floats) -> tuple[float, Floats]:
        deviations = np.zeros_like(start)
        deviations[moving] = at
        value, _, gradient = model.with_gradient(deviations)
        return value / scale, gradient[moving] / scale

    # L-BFGS-B calls LAPACK for matrices of a few rows, whose threads then wait for each other.
    minimum = optimize.minimize(
        deviance,
        start[moving],
        method="SLSQP",
        jac=True,
        bounds=[(0.0, _MOST)] * len(moving),
        options={"ftol": 1e-12, "maxiter": 500},
    )
    end = np.zeros_like(start)
    end[moving] = minimum.x
    return float(minimum.fun) * scale, end


def _turned(deviations: Floats, free: Bools, near: float, *, anew: bool) -> Iterator[Floats]:
    """Yield starts with one of the free components let in, by little, or left out: the others as they are,
    or all `anew` too; `near` is what starts are multiplied by.
    """
    for place in np.flatnonzero(free).tolist():
        again = [np.where(free, near, 0.0)] if anew and deviations[place] else []
        for others in (deviations, *again):
            turned = others.copy()
            turned[place] = ENTERING * near if deviations[place] == 0 else 0.0
            yield turned


def _gradient(of: Callable[[Floats], Any], at: Floats) -> Floats:
    steps = np.eye(len(at)) * _STEP
    return np.array([(of(at + step) - of(at - step)) / (2 * _STEP) for step in steps])
