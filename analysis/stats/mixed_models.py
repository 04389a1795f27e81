"""Linear mixed models with crossed random effects: their REML deviance and its derivatives.

y = X b + Z u + w + e with independent normal effects: u of factors that cross everything (annotators),
and w of images inside cells inside blocks (an image of a generator and prompt, of the prompt). The
criterion is the profiled REML deviance of D. Bates, M. Mächler, B. Bolker, S. Walker, "Fitting linear
mixed-effects models using lme4", Journal of Statistical Software 67 (2015), equations 39 to 42. Images,
cells and blocks are eliminated in closed form one after the other, because the levels of each do not
interact once the finer ones are gone: what remains is as large as the fixed effects and the crossing
factors, however many annotations, images and prompts there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from scipy import sparse

from analysis.stats.frames import Floats, Ints

RESIDUAL, IMAGE, CELL, BLOCK, CROSSED = range(5)
"""Places in the variances: residual, images, cells, blocks, then the crossing factors."""

# The residual sum of squares is at least this share of all squares.
_LEAST: Final = 1e-14


class Sums(NamedTuple):
    """Cross-products with the cells, c of them, and the r other columns: fixed effects, factors, response.

    `cells` (c,) is the cells' own diagonal, `between` (c, r), `others` (r, r).
    """

    cells: Floats
    between: Floats
    others: Floats


class Steps(NamedTuple):
    """What eliminating images, cells and blocks leaves behind, for c cells, b blocks and r other columns.

    `sums` are free of images, `kept` (c,) and `left` (b,) the shares 1 / (1 + ratio * diagonal), `blocks`
    (b,) and `of_blocks` (b, r) the sums of each block, `others` (r, r) the cross-products free of all three.
    `equations` (r, r) are those of the mixed model.
    """

    sums: Sums
    kept: Floats
    blocks: Floats
    of_blocks: Floats
    left: Floats
    others: Floats
    equations: Floats


class Solution(NamedTuple):
    """The mixed-model equations solved: (r - 1, r - 1) `inverse`, effects, the residual sum of squares."""

    inverse: Floats
    effects: Floats
    rest: float
    log_determinant: float


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

    @property
    def df(self) -> int:
        """Return the observations less the fixed effects."""
        return self.n - self.p

    def _steps(self, deviations: Floats) -> Steps:
        of_images, of_cells, of_blocks = np.square(deviations[:3]).tolist()
        cells, between, others = self.totals
        for size, _, sums in self.by_size:
            share = of_images / (1 + size * of_images)
            cells, between, others = (
                cells - share * sums.cells,
                between - share * sums.between,
                others - share * sums.others,
            )
        kept = 1 / (1 + of_cells * cells)
        others = others - of_cells * (between.T * kept) @ between
        blocks = self._places @ (cells * kept)
        by_block = self._summed(between * kept[:, None])
        left = 1 / (1 + of_blocks * blocks)
        others -= of_blocks * (by_block.T * left) @ by_block
        scale = self._scale(deviations)
        equations = others * scale[:, None] * scale
        inside = np.arange(self.p, len(equations) - 1)
        equations[inside, inside] += 1
        return Steps(Sums(cells, between, others), kept, blocks, by_block, left, others, equations)

    def _summed(self, of_cells: Floats) -> Floats:
        """Return (b, r): (c, r) rows summed by block."""
        return np.asarray(self._places @ of_cells)

    @cached_property
    def _places(self) -> sparse.csr_array:
        cells = len(self.block)
        return sparse.csr_array((np.ones(cells), (self.block, np.arange(cells))))

    def _scale(self, deviations: Floats) -> Floats:
        """Return (r,): what the fixed effects, the levels of the factors, and the response are scaled by."""
        scale = np.ones(self.p + sum(self.levels) + 1)
        scale[self.p : -1] = np.repeat(deviations[3:], self.levels)
        return scale

    def _solution(self, equations: Floats) -> Solution:
        # The gradient needs the inverse. With threads, LAPACK's from a Cholesky factor is slower by far.
        inner, right = equations[:-1, :-1], equations[:-1, -1]
        inverse = np.asarray(np.linalg.inv(inner), dtype=np.float64)
        effects = inverse @ right
        effects += inverse @ (right - inner @ effects)
        rest = float(equations[-1, -1] - right @ effects)
        # Where the effects leave nothing, rounding may leave less than nothing.
        least = _LEAST * float(self.totals.others[-1, -1])
        log_determinant = 2 * float(np.log(np.diag(np.linalg.cholesky(inner))).sum())
        return Solution(inverse, effects, max(rest, least), log_determinant)

    def _log_determinant(self, deviations: Floats, steps: Steps, solution: Solution) -> float:
        of_images = float(deviations[0]) ** 2
        total = sum(images * math.log1p(size * of_images) for size, images, _ in self.by_size)
        return total + solution.log_determinant - float(np.log(steps.kept).sum() + np.log(steps.left).sum())

    def residual(self, deviations: Floats) -> float:
        """Return the best residual variance for deviations (3 + factors,).

        These are the square roots of the variances of images, cells, blocks and factors over the residual.
        """
        return self._solution(self._steps(deviations).equations).rest / self.df

    def deviance(self, deviations: Floats, residual: float | None = None) -> float:
        """Return the REML deviance of deviations and a residual variance, by default the best one."""
        steps = self._steps(deviations)
        solution = self._solution(steps.equations)
        best = residual or solution.rest / self.df
        total = self._log_determinant(deviations, steps, solution)
        return total + self.df * math.log(2 * math.pi * best) + solution.rest / best

    def with_gradient(self, deviations: Floats, residual: float | None = None) -> tuple[float, float, Floats]:
        """Return `deviance`, its derivative by the log of the residual variance, and by the deviations.

        They are found backwards through the elimination: from the log determinant and the residual sum of
        squares of the equations to the cross-products of factors, blocks, cells and images (reverse mode; A.
        Griewank, A. Walther, "Evaluating Derivatives", 2008, chapter 3). A name ending in `_slope` is the
        derivative of the deviance by the quantity before it.
        """
        steps = self._steps(deviations)
        solution = self._solution(steps.equations)
        images, cells, blocks = deviations[:3].tolist()
        best = residual or solution.rest / self.df
        deviance = self._log_determinant(deviations, steps, solution)
        deviance += self.df * math.log(2 * math.pi * best) + solution.rest / best
        away = np.append(-solution.effects, 1.0)
        slope = np.outer(away, away) / best
        slope[:-1, :-1] += solution.inverse
        scale = self._scale(deviations)
        of_scale = 2 * (slope * steps.others) @ scale
        slope *= scale[:, None] * scale
        of_factors = np.add.reduceat(of_scale[self.p : -1], self._starts) if self.levels else np.zeros(0)
        # Blocks: others - blocks² Qᵀ L Q.
        turned = steps.of_blocks @ slope
        spread = (turned * steps.of_blocks).sum(axis=1)
        of_left = blocks**2 * steps.left**2 * spread + steps.left
        by_blocks = float(steps.left @ (steps.blocks * (1 + blocks**2 * steps.left * spread) - spread))
        blocks_slope = blocks**2 * of_left
        of_blocks_slope = -2 * blocks**2 * steps.left[:, None] * turned
        # Cells: others - cells² Bᵀ K B, and the sums of each block.
        inner, between = steps.sums.cells, steps.sums.between
        turned = between @ slope
        spread = (turned * between).sum(axis=1)
        kept_slope = (between * of_blocks_slope[self.block]).sum(axis=1)
        kept_slope += blocks_slope[self.block] * inner - cells**2 * spread - 1 / steps.kept
        by_cells = -float(steps.kept @ (spread + kept_slope * steps.kept * inner))
        inner_slope = steps.kept * (blocks_slope[self.block] - cells**2 * kept_slope * steps.kept)
        between_slope = steps.kept[:, None] * (of_blocks_slope[self.block] - 2 * cells**2 * turned)
        by_images = 0.0
        for size, count, sums in self.by_size:
            share_slope = float(
                inner_slope @ sums.cells + np.vdot(between_slope, sums.between) + np.vdot(slope, sums.others)
            )
            shrunk = 1 / (1 + size * images**2)
            by_images += count * size * shrunk - share_slope * shrunk**2
        nested = 2 * deviations[:3] * np.array([by_images, by_cells, by_blocks])
        return deviance, self.df - solution.rest / best, np.concatenate([nested, of_factors])

    @property
    def _starts(self) -> Ints:
        """Return (factors,): the first level of each factor."""
        return np.cumsum([0, *self.levels[:-1]]).astype(np.int64)

    def solved(self, variances: Floats) -> tuple[Floats, Floats]:
        """Return the fixed effects (p,) and their covariance (p, p) for variances (4 + factors,)."""
        equations = self._steps(np.sqrt(variances[1:] / variances[0])).equations
        solution = self._solution(equations)
        covariance = solution.inverse[: self.p, : self.p] * float(variances[0])
        return solution.effects[: self.p], covariance

    def slope_of_logs(self, variances: Floats) -> Floats:
        """Return (4 + factors,): the derivatives of the deviance by the logs of variances (4 + factors,)."""
        deviations = np.sqrt(variances[1:] / variances[0])
        _, of_residual, of_deviations = self.with_gradient(deviations, float(variances[0]))
        of_others = deviations * of_deviations / 2
        return np.concatenate([[of_residual - of_others.sum()], of_others])


def model_of(
    values: Floats, fixed: Floats, factors: Sequence[Ints], images: Ints, cells: Ints, blocks: Ints
) -> MixedModel:
    """Return the sums of a model of (n,) values.

    `fixed` is (n, p) of full rank; `factors`, `images`, `cells` and `blocks` are (n,) codes from 0 without
    gaps, each image inside one cell and each cell inside one block.
    """
    every, ones = np.arange(len(values)), np.ones(len(values))
    levels = tuple(int(codes.max()) + 1 for codes in factors)
    factor_columns = [
        sparse.csr_array((ones, (every, codes)), shape=(len(values), size))
        for codes, size in zip(factors, levels, strict=True)
    ]
    others = sparse.hstack(
        [sparse.csr_array(fixed), *factor_columns, sparse.csr_array(values[:, None])], format="csr"
    )
    sizes, first = np.bincount(images), np.unique(images, return_index=True)[1]
    sums = sparse.csr_array((ones, (images, every))) @ others
    by_size = []
    for size in np.unique(sizes).tolist():
        those = np.flatnonzero(sizes == size)
        weighted = np.full(len(those), float(size))
        by_size.append(
            (size, len(those), _sums(sums[those], cells[first[those]], weighted, int(cells.max()) + 1))
        )
    block = np.zeros(int(cells.max()) + 1, dtype=np.int64)
    block[cells] = blocks
    totals = _sums(others, cells, ones, len(block))
    return MixedModel(len(values), fixed.shape[1], levels, block, totals, tuple(by_size))


def _sums(others: sparse.csr_array, cells: Ints, sizes: Floats, n_cells: int) -> Sums:
    """Return the cross-products of rows with `sizes` in the column of their cell and (m, r) other columns."""
    inside = sparse.csr_array((sizes, (np.arange(len(cells)), cells)), shape=(len(cells), n_cells))
    return Sums(
        np.bincount(cells, sizes**2, minlength=n_cells).astype(np.float64),
        (inside.T @ others).toarray(),
        (others.T @ others).toarray(),
    )
