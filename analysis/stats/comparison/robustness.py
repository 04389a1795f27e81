"""Would other choices have led to another result? The comparison again, one choice changed at a time.

Each row compares the generators again: by another analysis, on another scale, with other weights, with
unreadable terms read as each severity, and without one prompt or one annotator. Where nothing else is said,
the tests are Welch's over images. Leaving out changes sums only, so it costs no second reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import stats

from analysis.stats.comparison.holm import holm
from analysis.stats.comparison.sensitivity import CORNERS
from analysis.stats.comparison.welch import Test
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import Floats, Ints
from analysis.stats.images import ImageTable
from analysis.stats.means import SAME, grouped
from scoring.grid.taxonomy import SEVERITIES

LEVEL: Final = 0.05
ROUNDING: Final = 1e-12
"""A variance below this is only rounding in sums of squares."""
LEFT_OUT: Final = 50
"""Prompts, and annotators, that are left out in turn: those with the most annotations."""
SHOWN: Final = 6
"""Pairs of generators whose difference each row states: all, or neighbours in the report's order."""


class Pairs(NamedTuple):
    """Of every two generators (pairs,): difference, joint interval and corrected p; NaN without a test."""

    difference: Floats
    low: Floats
    high: Floats
    p_holm: Floats


class Sums(NamedTuple):
    """Number, sum and sum of squares of the images of each generator (G,), about a common centre."""

    n: Floats
    total: Floats
    squares: Floats

    def plus(self, other: Sums, sign: int = 1) -> Sums:
        """Return the sums with (sign 1) or without (−1) those of other images."""
        return Sums(*(one + sign * two for one, two in zip(self, other, strict=True)))

    def pairs(self) -> Pairs:
        """Return Welch's test of every two generators."""
        n = np.maximum(self.n, 1)
        spread = np.maximum(self.squares - self.total**2 / n, 0) / np.maximum(n - 1, 1)
        return welch_pairs(self.n, self.total / n, np.where(spread > ROUNDING, spread, 0))


def sums_of(values: Floats, generators: Ints, size: int) -> Sums:
    """Return the sums of (m,) centred values by generator."""
    weights = (None, values, values * values)
    return Sums(
        *(np.bincount(generators, one, minlength=size).astype(np.float64, copy=False) for one in weights)
    )


def welch_pairs(n: Floats, mean: Floats, variance: Floats) -> Pairs:
    """Return Welch's tests of every two groups with Holm's p and Bonferroni's intervals."""
    first, second = np.triu_indices(len(n), 1)
    of_mean = np.where(n >= 2, variance / np.maximum(n, 1), np.nan)
    a, b = of_mean[first], of_mean[second]
    with np.errstate(invalid="ignore", divide="ignore"):
        df = (a + b) ** 2 / (a**2 / np.maximum(n[first] - 1, 1) + b**2 / np.maximum(n[second] - 1, 1))
        error = np.where(a + b > 0, np.sqrt(a + b), np.nan)
        gap = mean[first] - mean[second]
        p = np.asarray(2 * stats.t.sf(np.abs(gap) / error, df), dtype=np.float64)
    tested = max(int((~np.isnan(p)).sum()), 1)
    half = stats.t.isf((1 - CONFIDENCE) / 2 / tested, df) * error
    return Pairs(gap, gap - half, gap + half, _holm(p))


def _holm(p: Floats) -> Floats:
    every = holm([None if np.isnan(one) else one for one in p.tolist()])
    return np.array([np.nan if one is None else one for one in every], dtype=np.float64)


def stored_pairs(tests: Sequence[Mapping[str, Any]]) -> Pairs:
    """Return tests of another analysis, in the order of every two generators."""
    rows = [
        (
            test["difference"]["value"],
            test["simultaneous"]["low"],
            test["simultaneous"]["high"],
            test["p_holm"],
        )
        for test in tests
    ]
    columns = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    return Pairs(*columns)


def robustness(table: ImageTable, analyses: Mapping[str, Sequence[Test]]) -> dict[str, Any]:
    """Return a row for each other choice, and how many keep order and verdicts.

    `analyses` are tests of every two generators that were computed already, by name. A row has the `kind` of
    its choice, the `prompt`, `annotator`, `severity` or `weights` it is about, the `order` of the generators,
    whether it and the verdicts hold, and the differences of up to six `pairs` with joint intervals.
    """
    labels = table.frame.labels("generator")
    nothing: dict[str, Any] = {"rows": [], "compared": 0, "order_holds": 0, "verdicts_hold": 0}
    if len(labels) < 2:
        return nothing
    values, generators = table.scores - table.scores.mean(), table.codes("generator")
    base = sums_of(values, generators, len(labels)).pairs()
    shown = _shown(base, len(labels))
    made = [
        _row(labels, shown, base, about, found)
        for about, found in (
            *(({"kind": name}, stored_pairs(tests)) for name, tests in analyses.items() if tests),
            *_rescaled(table, generators, len(labels)),
            *_without_prompts(table, values, generators),
            *_without_annotators(table, values, generators),
        )
    ]
    known = [row for row in made if row["refused"] is None]
    return {
        "rows": made,
        "compared": len(known),
        "order_holds": sum(row["order_holds"] for row in known),
        "verdicts_hold": sum(row["verdicts_hold"] for row in known),
    }


def _rescaled(table: ImageTable, generators: Ints, size: int) -> Iterator[tuple[dict[str, Any], Pairs]]:
    """Yield the tests of other scores of the same images."""

    def tested(values: Floats) -> Pairs:
        return sums_of(values - values.mean(), generators, size).pairs()

    rows = grouped(table.frame.scores, table.frame.codes("generator"), size)
    yield {"kind": "by_annotation"}, welch_pairs(rows.n.astype(np.float64), rows.mean, rows.variance)
    yield {"kind": "log"}, tested(np.log1p(table.scores))
    yield {"kind": "ranks"}, tested(100 * stats.rankdata(table.scores) / len(table))
    for corner in CORNERS:
        weights = dict(zip(SEVERITIES, corner, strict=True))
        yield {"kind": "weights", "weights": weights}, tested(table.severity @ np.array(corner))
    unread = _unreadable(table)
    if unread.any():
        for severity, weight in zip(SEVERITIES, table.frame.weights.tolist(), strict=True):
            yield {"kind": "unreadable", "severity": severity}, tested(table.scores + weight * unread)


def _unreadable(table: ImageTable) -> Floats:
    """Return (m,): what unreadable terms would add to each image under a weight of 1."""
    frame, found = table.frame, np.zeros(len(table))
    if frame.unreadable:
        rows = {pk: row for row, pk in enumerate(frame.annotations["annotation"].tolist())}
        for pk, fraction in frame.unreadable:
            if pk in rows:
                image = frame.image_codes[rows[pk]]
                found[image] += fraction / table.coders[image]
    return found


def _most(table: ImageTable, column: str) -> list[tuple[int, str]]:
    """Return place and name of the values with the most annotations; none if there is only one."""
    labels = table.frame.labels(column)
    sizes = np.bincount(table.frame.codes(column), minlength=len(labels))
    places = np.sort(np.argsort(-sizes, kind="stable")[:LEFT_OUT]).tolist()
    return [(place, labels[place]) for place in places] if len(labels) > 1 else []


def _without_prompts(
    table: ImageTable, values: Floats, generators: Ints
) -> Iterator[tuple[dict[str, Any], Pairs]]:
    size, prompts = len(table.frame.labels("generator")), table.codes("prompt")
    count = len(table.frame.labels("prompt"))
    whole = sums_of(values, generators, size)
    parts = [one.reshape(count, size) for one in sums_of(values, prompts * size + generators, count * size)]
    for place, label in _most(table, "prompt"):
        without = whole.plus(Sums(*(part[place] for part in parts)), -1)
        yield {"kind": "without_prompt", "prompt": label}, without.pairs()


def _without_annotators(
    table: ImageTable, values: Floats, generators: Ints
) -> Iterator[tuple[dict[str, Any], Pairs]]:
    """Yield the tests over the other annotators' annotations; adjudicated images stay as they are."""
    frame, size = table.frame, len(table.frame.labels("generator"))
    images, people = frame.image_codes, frame.codes("annotator")
    scores = frame.scores - table.scores.mean()
    raw = np.bincount(images, scores)
    settled = np.abs(raw / table.coders - values) > SAME
    whole = sums_of(values, generators, size)
    order = np.argsort(people, kind="stable")
    ends = np.cumsum(np.bincount(people)).tolist()
    for place, label in _most(table, "annotator"):
        rows = order[(ends[place - 1] if place else 0) : ends[place]]
        rows = rows[~settled[images[rows]]]
        touched = images[rows]
        left = table.coders[touched] > 1
        others = touched[left]
        instead = (raw[others] - scores[rows[left]]) / (table.coders[others] - 1)
        without = whole.plus(sums_of(values[touched], generators[touched], size), -1)
        found = without.plus(sums_of(instead, generators[others], size)).pairs()
        yield {"kind": "without_annotator", "annotator": label}, found


def _order(differences: Floats, size: int) -> list[int]:
    """Return the generators, fewest errors first; a mean is that of its differences from the others."""
    first, second = np.triu_indices(size, 1)
    means = np.bincount(first, differences, size) - np.bincount(second, differences, size)
    return [int(place) for place in np.argsort(np.round(means, 9), kind="stable")]


def _shown(base: Pairs, size: int) -> list[int]:
    first, second = np.triu_indices(size, 1)
    if len(first) <= SHOWN:
        return list(range(len(first)))
    places = {(i, j): place for place, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True))}
    neighbours = pairwise(_order(base.difference, size)[: SHOWN + 1])
    return [places[min(i, j), max(i, j)] for i, j in neighbours]


def _verdicts(found: Pairs) -> Floats:
    """Return −1 or 1 for a clear difference by its sign, 0 without one."""
    return np.where(found.p_holm < LEVEL, np.sign(found.difference), 0)


def _row(
    labels: Sequence[str], shown: Sequence[int], base: Pairs, about: dict[str, Any], found: Pairs
) -> dict[str, Any]:
    first, second = np.triu_indices(len(labels), 1)
    untested = np.isnan(found.p_holm) & ~np.isnan(base.p_holm)
    if untested.any():
        place = int(untested.argmax())
        reason = f"{labels[first[place]]} and {labels[second[place]]} cannot be tested"
        return {
            **about,
            "refused": reason,
            "order": [],
            "order_holds": None,
            "verdicts_hold": None,
            "pairs": [],
        }
    order = _order(found.difference, len(labels))
    return {
        **about,
        "refused": None,
        "order": [labels[place] for place in order],
        "order_holds": order == _order(base.difference, len(labels)),
        "verdicts_hold": bool((_verdicts(found) == _verdicts(base)).all()),
        "pairs": [
            {
                "a": labels[first[place]],
                "b": labels[second[place]],
                **{
                    name: None if np.isnan(column[place]) else float(column[place])
                    for name, column in found._asdict().items()
                },
            }
            for place in shown
        ],
    }
