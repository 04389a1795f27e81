"""The F test of treatments within blocks, which removes the effect of the blocks: of prompts, for example.

The additive two-way model, score = generator + prompt + rest, is that of the randomised block design (R. A.
Fisher, "The Design of Experiments", 1935; D. C. Montgomery, "Design and Analysis of Experiments", chapter 4),
here for any number of images per cell: the generators' sum of squares is what they explain beyond the
prompts. It assumes equal variances.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from analysis.stats.comparison.welch import Test
from analysis.stats.frames import Floats, Ints
from analysis.stats.means import SAME


def additive_test(values: Floats, treatments: Ints, blocks: Ints) -> Test:
    """Return F of treatments in the additive least-squares model with blocks; all three are (n,).

    Blocks are eliminated first, so the cost is that of a (treatments × blocks) table of counts. If F is
    undefined, f and p are None and `refused` says why.
    """
    shape = int(treatments.max(initial=-1)) + 1, int(blocks.max(initial=-1)) + 1
    if shape[0] < 2:
        return _no_f("fewer than 2 generators")
    if shape[1] < 2:
        return _no_f("fewer than 2 prompts")
    df1, df2 = shape[0] - 1, len(values) - shape[0] - shape[1] + 1
    if df2 < 1:
        return _no_f("too few images for this many generators and prompts")
    found = additive_fit(values, treatments, blocks)
    if found is None:
        return _no_f("some generators share no prompt with the others")
    if np.abs(found.rest).max() <= SAME:
        return _no_f("the scores of images do not vary within generator and prompt")
    f = float(found.adjusted_sums @ found.effects) / df1 / (float(found.rest @ found.rest) / df2)
    return {"f": f, "df1": df1, "df2": df2, "p": float(stats.f.sf(f, df1, df2)), "refused": None}


class AdditiveFit(NamedTuple):
    """The additive model of T treatments and B blocks over n values.

    `counts` (T, B) are values per cell, `share` (T, B) their share of the block; `adjusted_sums` and
    `effects` (T,) of the treatments with the blocks eliminated, `inverse` (T, T) maps the former to the
    latter; `block_effects` (B,); `rest` (n,) are the residuals.
    """

    counts: Floats
    share: Floats
    inverse: Floats
    adjusted_sums: Floats
    effects: Floats
    block_effects: Floats
    rest: Floats


def additive_fit(values: Floats, treatments: Ints, blocks: Ints) -> AdditiveFit | None:
    """Return least squares of (n,) centred values by treatment and block; None if treatments are apart."""
    counts = np.zeros((int(treatments.max()) + 1, int(blocks.max()) + 1))
    np.add.at(counts, (treatments, blocks), 1.0)
    share = counts / counts.sum(axis=0)
    reduced = np.diag(counts.sum(axis=1)) - share @ counts.T
    if np.linalg.matrix_rank(reduced) < len(reduced) - 1:
        return None
    y = values - values.mean()
    block_sums = np.bincount(blocks, y)
    inverse = np.linalg.pinv(reduced, hermitian=True)
    adjusted_sums = np.bincount(treatments, y) - share @ block_sums
    effects = inverse @ adjusted_sums
    block_effects = (block_sums - counts.T @ effects) / counts.sum(axis=0)
    rest = y - effects[treatments] - block_effects[blocks]
    return AdditiveFit(counts, share, inverse, adjusted_sums, effects, block_effects, rest)


def _no_f(reason: str) -> Test:
    return {"f": None, "df1": None, "df2": None, "p": None, "refused": reason}
