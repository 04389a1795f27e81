"""Outside metrics compared with people: rank correlations with the score, by image and by generator.

By image, Spearman's rho has the interval of `spearman`; Kendall's tau-b (M. G. Kendall, "The treatment of
ties in ranking problems", Biometrika 33 (1945) 239-251) that of the jackknife over images. By generator, both
relate the means over prompts, and their intervals are the middle 95% over resamples of prompts, for these
generators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

from analysis.stats.bootstrap_intervals import JACKKNIFE, NONE, SEED, too_few
from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.frames import Bools, Floats
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.rank_correlation import NO_SPREAD, spearman, without_noise
from analysis.stats.ranking.ranks import resampled_means
from analysis.stats.ranking.scored import ScoredImages

FEWEST: Final = 7
FEWEST_GENERATORS: Final = 3
MOST: Final = 10_000
"""The most images from which Kendall's tau is computed; of more, this many are drawn with a fixed seed."""
_CHUNK: Final = 256
_SAME: Final = 1e-9
BY_PROMPT: Final = "percentiles of resamples of prompts"
OFTEN_UNDEFINED: Final = "too many resamples of the prompts have no value"
UNDEFINED_SHARE: Final = 0.05


@dataclass(frozen=True)
class OutsideMetric:
    """A metric's values by image id."""

    name: str
    values: Mapping[int, float]


def outside_table(images: ScoredImages, metrics: Sequence[OutsideMetric]) -> Json:
    """Return the correlations of each metric with the score, a row per metric and level."""
    better = "higher" if images.higher_is_better else "lower"
    rows = []
    for metric in metrics:
        found = np.array([metric.values.get(image, np.nan) for image in images.images.tolist()])
        there = ~np.isnan(found)
        coders = int(images.coders.max(initial=0))
        one, two = images.scores[there], found[there]
        rows.append(
            [metric.name, "image", int(there.sum()), spearman(one, two, coders), kendall(one, two, coders)]
        )
        rows.append(
            [metric.name, "generator", int(there.sum()), *_by_generator(images, found, there, coders)]
        )
    sample = f" Of more than {MOST:,} images, Kendall's tau uses this many, drawn with a fixed seed."
    return table(
        "outside",
        "Outside metrics",
        f"How closely each metric orders images and generators as people do, where {better} scores are "
        "better: a positive correlation means that the metric rises with the score. Images without the "
        f"metric are left out.{sample if len(images.scores) > MOST else ''}",
        (
            ResultColumn("metric", "Metric"),
            ResultColumn("by", "By"),
            ResultColumn("images", "Images", "count", "with a score and the metric"),
            ResultColumn("spearman", "Spearman", "estimate", "rank correlation with the score"),
            ResultColumn("kendall", "Kendall", "estimate", "tau-b with the score"),
        ),
        rows,
    )


def kendall(first: Floats, second: Floats, n_coders: int) -> Estimate:
    """Return Kendall's tau-b of (n,) and (n,) values, with the jackknife's 95% interval over images."""
    n = len(first)
    if n < FEWEST:
        return refused(too_few(n), n_units=n, n_coders=n_coders, method=NONE)
    first, second = without_noise(first), without_noise(second)
    if n > MOST:
        drawn = np.sort(np.random.default_rng([SEED, n]).choice(n, MOST, replace=False))
        return kendall(first[drawn], second[drawn], n_coders)
    agree, apart_first, apart_second = _pairs(first, second)
    value = _tau(agree.sum() / 2, apart_first.sum() / 2, apart_second.sum() / 2)
    if np.isnan(value):
        return refused(NO_SPREAD, n_units=n, n_coders=n_coders, method=NONE)
    without = np.array(
        _tau(
            agree.sum() / 2 - agree,
            apart_first.sum() / 2 - apart_first,
            apart_second.sum() / 2 - apart_second,
        )
    )
    error = float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()))
    if np.isnan(error):
        return refused(NO_SPREAD, value=float(value), n_units=n, n_coders=n_coders, method=JACKKNIFE)
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    low, high = max(-1.0, float(value) - reach), min(1.0, float(value) + reach)
    return estimate(float(value), low, high, n_units=n, n_coders=n_coders, method=JACKKNIFE)


def _pairs(first: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
    """Return (n,) for each value: concordant less discordant partners, and partners that differ in each."""
    parts = []
    for start in range(0, len(first), _CHUNK):
        rows = slice(start, start + _CHUNK)
        one = np.sign(first[rows, None] - first).astype(np.int8)
        two = np.sign(second[rows, None] - second).astype(np.int8)
        parts.append(
            [(one * two).sum(axis=1, dtype=np.int64), (one != 0).sum(axis=1), (two != 0).sum(axis=1)]
        )
    agree, apart_first, apart_second = (
        np.concatenate(part).astype(np.float64) for part in zip(*parts, strict=True)
    )
    return agree, apart_first, apart_second


def _tau(agree: Floats, apart_first: Floats, apart_second: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(agree / np.sqrt(apart_first * apart_second))


def _by_generator(
    images: ScoredImages, found: Floats, there: Bools, coders: int
) -> tuple[Estimate, Estimate]:
    """Return Spearman's rho and Kendall's tau-b of the generators' means over prompts."""
    shape = len(images.generators), len(images.prompts)
    cells = (images.generator * shape[1] + images.prompt)[there]
    counts = np.bincount(cells, minlength=shape[0] * shape[1])
    means = [
        np.where(
            counts > 0,
            np.bincount(cells, values[there], minlength=len(counts)) / np.maximum(counts, 1),
            np.nan,
        ).reshape(shape)
        for values in (images.scores, found)
    ]
    has = ~np.isnan(means[0]).all(axis=1)
    n = int(has.sum())
    if n < FEWEST_GENERATORS:
        reason = f"too few: {n} generator{'' if n == 1 else 's'}"
        nothing = refused(reason, n_units=n, n_coders=coders, method=NONE)
        return nothing, nothing
    both = [part[has] for part in means]
    own = [np.asarray(np.nanmean(part, axis=1), dtype=np.float64).round(9) for part in both]
    one, two = (np.round(resampled_means(part), 9) for part in both)
    complete = ~(np.isnan(one) | np.isnan(two)).any(axis=1)
    made = []
    for measure in (_rho, _kendall):
        value = measure(own[0], own[1])
        drawn = np.array([measure(a, b) for a, b in zip(one[complete], two[complete], strict=True)])
        made.append(_percentiles(value, drawn, len(one), n, coders))
    return made[0], made[1]


def _rho(first: Floats, second: Floats) -> float:
    one, two = (stats.rankdata(values) - (len(values) + 1) / 2 for values in (first, second))
    spread = float((one @ one) * (two @ two))
    return float(one @ two) / spread**0.5 if spread > _SAME else float("nan")


def _kendall(first: Floats, second: Floats) -> float:
    one, two = (np.sign(values[:, None] - values) for values in (first, second))
    totals = np.array([(one * two).sum(), (one != 0).sum(), (two != 0).sum()], dtype=np.float64)
    return float(_tau(totals[0:1], totals[1:2], totals[2:3])[0])


def _percentiles(value: float, drawn: Floats, resamples: int, n: int, coders: int) -> Estimate:
    if np.isnan(value):
        return refused(NO_SPREAD, n_units=n, n_coders=coders, method=NONE)
    known = drawn[~np.isnan(drawn)]
    if len(known) < (1 - UNDEFINED_SHARE) * resamples or not len(known):
        return refused(OFTEN_UNDEFINED, value=value, n_units=n, n_coders=coders, method=BY_PROMPT)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return estimate(value, float(low), float(high), n_units=n, n_coders=coders, method=BY_PROMPT)
