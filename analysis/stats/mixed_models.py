"""Linear mixed models with crossed random effects, fitted by REML.

y = X b + Z u + w + e with independent normal effects: u of factors that cross everything (annotators),
and w of images inside cells inside blocks (an image of a generator and prompt, of the prompt). The
criterion is the profiled REML deviance of D. Bates, M. Mächler, B. Bolker, S. Walker, "Fitting linear
mixed-effects models using lme4", Journal of Statistical Software 67 (2015), equations 39 to 42. Images,
cells and blocks are eliminated in closed form one after the other, because the levels of each do not
interact once the finer ones are gone: what remains is as large as the fixed effects and the crossing
factors, however many annotations, images and prompts there are.

Degrees of freedom of a contrast: F. E. Satterthwaite, "An approximate distribution of estimates of variance
components", Biometrics Bulletin 2 (1946) 110-114, by derivatives of the deviance as in A. Kuznetsova, P. B.
Brockhoff, R. H. B. Christensen, "lmerTest package", Journal of Statistical Software 82 (2017).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import linalg, optimize, sparse

from analysis.stats.frames import Floats, Ints

RESIDUAL, IMAGE, CELL, BLOCK, CROSSED = range(5)
"""Places in the variances: residual, images, cells, blocks, then the crossing factors."""

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


class Sums(NamedTuple):
    """Cross-products with the cells, c of them, and the r other columns: fixed effects, factors, response.

    `cells` (c,) is the cells' own diagonal, `between` (c, r), `others` (r, r).
    """

    cells: Floats
    between: Floats
    others: Floats


@dataclass(frozen=True)
class MixedModel:
    """The sums from which the deviance is computed; see `model_of`.

    `by_size` holds for each number of annotations of an image the number of such images, and the products of
    the sums over each image's annotations. `block` (c,) is the block of each cell.
    """

    n: int
    p: int
    levels: tuple[int, ...]
    block: Ints
    totals: Sums
    by_size: tuple[tuple[int, int, Sums], ...]

    def pieces(self, ratios: Floats) -> tuple[Floats, float, float]:
        """Return the mixed-model equations (r, r), the log determinant, and the residual sum of squares.

        `ratios` (3 + factors,) are the variances of images, cells, blocks and factors over the residual one.
        """
        (cells, between, others), log_determinant = self.totals, 0.0
        for size, images, sums in self.by_size:
            share = ratios[0] / (1 + size * ratios[0])
            cells, between, others = (
                cells - share * sums.cells,
                between - share * sums.between,
                others - share * sums.others,
            )
            log_determinant += images * np.log1p(size * ratios[0])
        kept = 1 / (1 + ratios[1] * cells)
        others = others - ratios[1] * (between.T * kept) @ between
        blocks = np.bincount(self.block, cells * kept)
        of_blocks = np.zeros((len(blocks), len(others)))
        np.add.at(of_blocks, self.block, between * kept[:, None])
        left = 1 / (1 + ratios[2] * blocks)
        others -= ratios[2] * (of_blocks.T * left) @ of_blocks
        scale = np.ones(len(others))
        scale[self.p : -1] = np.repeat(np.sqrt(ratios[3:]), self.levels)
        equations = others * scale[:, None] * scale
        inside = np.arange(self.p, len(equations) - 1)
        equations[inside, inside] += 1
        pivots = np.diag(np.linalg.cholesky(equations))
        log_determinant += 2 * np.log(pivots[:-1]).sum() - np.log(kept).sum() - np.log(left).sum()
        return equations, float(log_determinant), float(pivots[-1] ** 2)

    def profiled(self, deviations: Floats) -> float:
        """Return the REML deviance at the square roots of the ratios, at the best residual variance."""
        _, log_determinant, rest = self.pieces(np.square(deviations))
        df = self.n - self.p
        return log_determinant + df * (1 + float(np.log(2 * np.pi * rest / df)))

    def deviance(self, variances: Floats) -> float:
        """Return the REML deviance of variances (4 + factors,)."""
        _, log_determinant, rest = self.pieces(variances[1:] / variances[0])
        df = self.n - self.p
        return log_determinant + df * float(np.log(2 * np.pi * variances[0])) + rest / float(variances[0])

    def solved(self, variances: Floats) -> tuple[Floats, Floats]:
        """Return the fixed effects (p,) and their covariance (p, p)."""
        equations, _, _ = self.pieces(variances[1:] / variances[0])
        factor = linalg.cho_factor(equations[:-1, :-1])
        effects = linalg.cho_solve(factor, equations[:-1, -1])[: self.p]
        unit = np.eye(len(equations) - 1)[:, : self.p]
        return effects, linalg.cho_solve(factor, unit)[: self.p] * float(variances[0])


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
        hessian = _hessian(
            lambda logs: self.model.deviance(self._at(logs)), np.log(self.variances[self._moving])
        )
        return np.asarray(2 * np.linalg.pinv(hessian, hermitian=True))

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


def model_of(
    values: Floats, fixed: Floats, factors: Sequence[Ints], images: Ints, cells: Ints, blocks: Ints
) -> MixedModel:
    """Return the sums of a model of (n,) values.

    `fixed` is (n, p) of full rank; `factors`, `images`, `cells` and `blocks` are (n,) codes from 0 without
    gaps, each image inside one cell and each cell inside one block.
    """
    every, one = np.arange(len(values)), np.ones(len(values))
    levels = tuple(int(codes.max()) + 1 for codes in factors)
    factor_columns = [
        sparse.csr_array((one, (every, codes)), shape=(len(values), size))
        for codes, size in zip(factors, levels, strict=True)
    ]
    others = sparse.hstack(
        [sparse.csr_array(fixed), *factor_columns, sparse.csr_array(values[:, None])], format="csr"
    )
    sizes, first = np.bincount(images), np.unique(images, return_index=True)[1]
    sums = sparse.csr_array((one, (images, every))) @ others
    by_size = []
    for size in np.unique(sizes).tolist():
        those = np.flatnonzero(sizes == size)
        weighted = np.full(len(those), float(size))
        by_size.append(
            (size, len(those), _sums(sums[those], cells[first[those]], weighted, int(cells.max()) + 1))
        )
    block = np.zeros(int(cells.max()) + 1, dtype=np.int64)
    block[cells] = blocks
    totals = _sums(others, cells, one, len(block))
    return MixedModel(len(values), fixed.shape[1], levels, block, totals, tuple(by_size))


def _sums(others: sparse.csr_array, cells: Ints, sizes: Floats, n_cells: int) -> Sums:
    """Return the cross-products of rows with `sizes` in the column of their cell and (m, r) other columns."""
    inside = sparse.csr_array((sizes, (np.arange(len(cells)), cells)), shape=(len(cells), n_cells))
    return Sums(
        np.bincount(cells, sizes**2, minlength=n_cells).astype(np.float64),
        (inside.T @ others).toarray(),
        (others.T @ others).toarray(),
    )


def fit(model: MixedModel, without: Sequence[int] = ()) -> MixedFit:
    """Return the REML estimates; the variances at the places `without` are fixed at zero.

    The deviance may have its minimum where a variance is zero, so the search is bounded.
    """
    free = np.array([place not in without for place in range(IMAGE, CROSSED + len(model.levels))])
    found = optimize.minimize(
        model.profiled,
        np.where(free, 1.0, 0.0),
        method="L-BFGS-B",
        jac="3-point",
        bounds=[(0.0, _MOST if each else 0.0) for each in free],
        options={"ftol": 1e-14, "gtol": 1e-8, "maxiter": 500},
    )
    ratios = np.square(found.x)
    residual = model.pieces(ratios)[2] / (model.n - model.p)
    return MixedFit(model, np.concatenate([[residual], ratios * residual]), float(found.fun))


def _gradient(of: Callable[[Floats], Any], at: Floats) -> Floats:
    steps = np.eye(len(at)) * _STEP
    return np.array([(of(at + step) - of(at - step)) / (2 * _STEP) for step in steps])


def _hessian(of: Callable[[Floats], float], at: Floats) -> Floats:
    steps = np.eye(len(at)) * _STEP
    return np.array(
        [
            [
                (of(at + a + b) - of(at + a - b) - of(at - a + b) + of(at - a - b)) / (4 * _STEP**2)
                for b in steps
            ]
            for a in steps
        ]
    )
