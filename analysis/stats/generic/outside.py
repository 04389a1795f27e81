"""Outside metrics beside people: means by generator, and how closely each orders the images of a prompt.

Images are related within prompts only, because a metric may follow the prompt rather than the image. Values
are ranked within each prompt (ties share the middle rank); the correlation is Pearson's of these ranks less
the mean rank of their prompt, pooled over prompts. Two images of a prompt are ordered alike if the better
score has the higher value. Both have intervals from resampling whole prompts; see `bootstrap_intervals`.

As people also tie, a metric has to predict one of three outcomes of a pair: a tie where its values differ by
no more than a threshold, else that the higher, or the lower, value is better. Threshold and direction are for
each prompt those that predict most pairs of all other prompts (cross-validation by prompt; M. Stone,
"Cross-validatory choice and assessment of statistical predictions", Journal of the Royal Statistical Society
B 36 (1974) 111-147). Beside it stands the rule that always predicts a tie, which a useful metric must beat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.stats import rankdata

from analysis.stats.bootstrap_intervals import NONE, estimated
from analysis.stats.estimates import Estimate, refused
from analysis.stats.frames import AnnotationTable, Floats, Ints
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.means import grouped, mean_estimates
from analysis.stats.rank_correlation import NO_SPREAD, without_noise

FEWEST: Final = 8
"""Prompts with two or more images below which nothing is related; resamples of fewer mislead."""
MOST: Final = 500
"""Images of a prompt of which every two are compared; of more, the first ones."""
THRESHOLDS: Final = np.linspace(0, 1, 21)
"""Of ties: quantiles of the differences of a metric's values within prompts."""


@dataclass(frozen=True)
class OutsideMetric:
    """A metric's values by image id."""

    name: str
    values: Mapping[int, float]


def outside_tables(
    frame: AnnotationTable,
    first: Ints,
    scores: Floats,
    metrics: Sequence[OutsideMetric],
    *,
    higher_is_better: bool,
) -> list[Json]:
    """Return two tables: each metric beside people, and its means by generator.

    `first` (m,) is the row of the frame that describes each image, `scores` (m,) its score.
    """
    better = without_noise(scores if higher_is_better else -scores)
    ids = frame.annotations["image"].to_numpy()[first].tolist()
    generator, prompt = frame.codes("generator")[first], frame.codes("prompt")[first]
    related, means = [], []
    for metric in metrics:
        values = np.array([metric.values.get(image, np.nan) for image in ids])
        has = ~np.isnan(values)
        people = len(frame.labels("annotator"))
        prompts, pair = _prompts(prompt[has]), (better[has], without_noise(values[has]))
        numbers: list[Any] = [*_related(_by_prompt(*pair, prompts), people), *_outcomes(*pair, prompts)]
        related.append([metric.name, int(has.sum()), len(prompts), *numbers])
        labels = frame.labels("generator")
        moments = grouped(values[has], generator[has], len(labels))
        estimates = mean_estimates(moments, np.zeros(len(labels), dtype=np.int64))
        means += [
            [metric.name, label, int(moments.n[i]), estimates[i]]
            for i, label in enumerate(labels)
            if moments.n[i]
        ]
    return [_beside_people(related), _means(means)]


def _prompts(prompt: Ints) -> list[Ints]:
    """Return the places of the images of each prompt that has several, of (n,) prompts."""
    of_each = (np.flatnonzero(prompt == code)[:MOST] for code in np.unique(prompt))
    return [own for own in of_each if len(own) > 1]


def _gaps(values: Floats) -> Floats:
    """Return the differences of every two of (n,) values: (n (n - 1) / 2,)."""
    first, second = np.triu_indices(len(values), 1)
    return values[first] - values[second]


def _by_prompt(better: Floats, values: Floats, prompts: Sequence[Ints]) -> Floats:
    """Return (prompts, 5) for (n,) scores and values.

    Sums of products and squares of centred ranks, pairs that people order, and those ordered alike.
    """
    rows = []
    for own in prompts:
        one, two = (rankdata(part[own]) - (len(own) + 1) / 2 for part in (better, values))
        above, higher = (np.sign(_gaps(part)) for part in (one, two))
        rows.append([one @ two, one @ one, two @ two, (above != 0).sum(), (above * higher > 0).sum()])
    return np.array(rows, dtype=np.float64).reshape(-1, 5)


def _outcomes(better: Floats, values: Floats, prompts: Sequence[Ints]) -> tuple[float | None, float | None]:
    """Return the share of pairs whose outcome the metric predicts, and of those that people tie.

    (n,) scores and values. None with fewer than `FEWEST` prompts.
    """
    if len(prompts) < FEWEST:
        return None, None
    above, gaps = ([_gaps(part[own]) for own in prompts] for part in (better, values))
    # The least quantile is a difference itself: at 0, only equal values tie.
    thresholds = [0.0, *np.quantile(np.abs(np.concatenate(gaps)), THRESHOLDS)]
    right = np.array(
        [
            [
                (way * np.sign(gap) * (np.abs(gap) > threshold) == np.sign(order)).sum()
                for way in (1, -1)
                for threshold in thresholds
            ]
            for order, gap in zip(above, gaps, strict=True)
        ]
    )
    chosen = (right.sum(axis=0) - right).argmax(axis=1)
    total = sum(map(len, gaps))
    tied = sum(int((order == 0).sum()) for order in above)
    return float(right[np.arange(len(right)), chosen].sum() / total), tied / total


def _related(rows: Floats, n_annotators: int) -> list[Estimate]:
    """Return the correlation and the share of pairs ordered alike."""
    if len(rows) < FEWEST:
        reason = f"fewer than {FEWEST} prompts with several images"
        return [refused(reason, n_units=len(rows), n_coders=n_annotators, method=NONE) for _ in range(2)]
    lowest, highest = np.array([-1.0, 0.0]), np.array([1.0, 1.0])
    return estimated(
        rows,
        _correlation_and_share,
        n_coders=n_annotators,
        undefined=NO_SPREAD,
        lowest=lowest,
        highest=highest,
    )


def _correlation_and_share(totals: Floats) -> Floats:
    products, first, second, pairs, alike = np.moveaxis(totals, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack([products / np.sqrt(first * second), alike / pairs], axis=-1)


def _beside_people(rows: list[list[Any]]) -> Json:
    return table(
        "outside",
        "Outside metrics",
        "How closely each metric orders the images of one prompt as people do. Above 0, or above half of the "
        "pairs, images with better scores have higher values; a metric of which lower is better runs the "
        "other way. Equal values order nothing. People also tie: a metric predicts a tie where its values "
        "are close; threshold and direction are chosen on all other prompts. A useful metric beats the "
        "rule “always a tie”. "
        f"Intervals are over prompts, from {FEWEST} prompts with several images on.",
        (
            ResultColumn("metric", "Metric"),
            ResultColumn("images", "Images", "count", "with a score and the metric"),
            ResultColumn("prompts", "Prompts", "count", "with several of these images"),
            ResultColumn("correlation", "Rank correlation", "estimate", "within prompts, with better scores"),
            ResultColumn("alike", "Pairs ordered alike", "estimate", "share of the pairs that people order"),
            ResultColumn("predicted", "Outcomes predicted", "share", "of all pairs: better, worse or a tie"),
            ResultColumn("always_tie", "Always a tie", "share", "of all pairs, by a rule that knows nothing"),
        ),
        rows,
    )


def _means(rows: list[list[Any]]) -> Json:
    return table(
        "outside_means",
        "Outside metrics by generator",
        "The mean of each metric over the images with a score, with Student's 95% interval over images.",
        (
            ResultColumn("metric", "Metric"),
            ResultColumn("generator", "Generator"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("mean", "Mean", "estimate", "mean of the metric"),
        ),
        rows,
    )
