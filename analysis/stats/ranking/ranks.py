"""How sure the rank of a generator is, by resampling prompts.

A resample draws as many prompts as there are, with replacement, and ranks the generators by their means over
the prompts drawn (P. Hall and H. Miller, "Using the bootstrap to quantify the authority of an empirical
ranking", Annals of Statistics 37 (2009) 3929-3959). With at most `ENUMERATED` prompts all resamples are
counted, so that the shares are exact; with more, `REPLICATES` are drawn by a fixed seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from analysis.stats.bootstrap_intervals import blocked, replicates
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import Floats, Ints

ENUMERATED: Final = 5
# Means of scores with small denominators: smaller gaps are only rounding.
DECIMALS: Final = 9


@dataclass(frozen=True)
class Ranks:
    """The ranks of generators over resamples.

    `shares` (generators, ranks) sum to 1 in each row; equal means share the better rank, so columns may sum
    to more. `low` and `high` (generators,) bound 95% of the ranks, from 1. `resamples` of `drawn`
    have a mean for every generator; the others are left out. `exact` if they are all there are.
    """

    shares: Floats
    low: Ints
    high: Ints
    resamples: int
    drawn: int
    exact: bool


def ranks_of(means: Floats, *, higher_is_better: bool) -> Ranks | None:
    """Return the ranks of (generators, prompts) means, NaN where a generator lacks a prompt.

    None with fewer than two generators or prompts, and if no resample has a mean for every generator.
    """
    generators, prompts = means.shape
    if min(generators, prompts) < 2:
        return None
    exact, found = prompts <= ENUMERATED, resampled_means(means)
    drawn, complete = len(found), ~np.isnan(found).any(axis=1)
    if not complete.any():
        return None
    signed = np.round(found[complete], DECIMALS) * (-1 if higher_is_better else 1)
    places = _ranks(signed)
    shares = np.stack([np.bincount(column, minlength=generators) for column in places.T]) / len(places)
    below = np.round(np.cumsum(shares, axis=1), DECIMALS)
    tail = (1 - CONFIDENCE) / 2
    low, high = (below > tail).argmax(axis=1) + 1, (below >= 1 - tail).argmax(axis=1) + 1
    return Ranks(shares, low, high, len(places), drawn, exact)


def resampled_means(means: Floats) -> Floats:
    """Return (resamples, generators): means over the prompts drawn, NaN without any.

    `means` are (generators, prompts), NaN where a generator lacks a prompt.
    The same resamples for every table with so many prompts: all of them up to `ENUMERATED`.
    """
    known, prompts = ~np.isnan(means), means.shape[1]
    rows = np.column_stack([np.where(known, means, 0.0).T, known.T.astype(np.float64)])
    return _means(_every(prompts) @ rows) if prompts <= ENUMERATED else replicates(blocked(rows), _means)


def _every(prompts: int) -> Floats:
    """Return (prompts ** prompts, prompts): how often each ordered resample contains each prompt."""
    drawn = np.array(list(product(range(prompts), repeat=prompts)))
    return np.stack([(drawn == prompt).sum(axis=1) for prompt in range(prompts)], axis=1).astype(np.float64)


def _means(totals: Floats) -> Floats:
    half = totals.shape[-1] // 2
    sums, counts = totals[..., :half], totals[..., half:]
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _ranks(values: Floats) -> Ints:
    """Return (resamples, generators) ranks from 0, ascending; equal values share the better rank."""
    ordered = np.sort(values, axis=1)
    return np.stack([np.searchsorted(line, row) for line, row in zip(ordered, values, strict=True)])
