"""Tests between prompts, prompt groups, error types and body parts: all together, then every two.

Prompts and prompt groups are different images: the overall test is F of the additive model of group and
generator over images, the pairs are Welch's tests as between generators. Error types and body parts are parts
of one image's score, so their tests are paired: a repeated-measures F with the correction of S. Geisser and
S. W. Greenhouse ("An extension of Box's results on the use of the F distribution in multivariate analysis",
Annals of Mathematical Statistics 29 (1958) 885-891), which needs no equal variances, and paired t tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.comparison.blocked import additive_test
from analysis.stats.comparison.effects import Sample
from analysis.stats.comparison.generators import compared, corrected
from analysis.stats.comparison.holm import holm
from analysis.stats.comparison.welch import Test, simultaneous, t_test, untested
from analysis.stats.frames import Floats, Ints
from analysis.stats.images import ImageTable
from analysis.stats.means import SAME, Groups, grouped
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES

PAIRED: Final = "paired t over images"
MOST_GROUPS: Final = 500
LISTED: Final = 300
"""Pairs that are listed: those with the smallest p."""


def group_tests(table: ImageTable) -> dict[str, Any]:
    """Return for each kind of group the `overall` test and the `pairs`, smallest p first.

    `tested` counts all pairs with a test and `clear` those with a Holm-corrected p below 0.05, listed or not.
    A pair of prompts also has Welch's test `by_annotation`, as in the published study, uncorrected.
    """
    weights = table.frame.weights
    return {
        "prompts": _between(table, "prompt"),
        "prompt_groups": _between(table, "prompt_group"),
        "error_types": _within(table.types @ weights, ERROR_TYPES),
        "body_parts": _within(table.parts @ weights, BODY_PARTS),
    }


def _between(table: ImageTable, column: str) -> dict[str, Any]:
    labels, codes = table.frame.labels(column), table.codes(column)
    overall = additive_test(table.scores, codes, table.codes("generator"))
    if overall["refused"] is not None:
        overall = one_way_test(table.scores, codes)
    if not 2 <= len(labels) <= MOST_GROUPS:
        reason = f"more than {MOST_GROUPS} groups" if labels[2:] else "fewer than 2 groups"
        return {"overall": overall, "refused": reason, **_listed([], [], 0)}
    of_images = grouped(table.scores, codes, len(labels))
    of_rows = grouped(table.frame.scores, table.frame.codes(column), len(labels))
    first, second = np.triu_indices(len(labels), 1)
    p = welch_p(of_images, first, second)
    kept = np.argsort(np.where(np.isnan(p), 2, p), kind="stable")[:LISTED]
    samples, rows = _samples(of_images), _samples(of_rows)
    made = []
    for i, j in zip(first[kept].tolist(), second[kept].tolist(), strict=True):
        published = compared(rows[i], rows[j])
        test = {"a": labels[i], "b": labels[j], **compared(samples[i], samples[j])}
        made.append({**test, "by_annotation": {key: published[key] for key in ("t", "df", "p")}})
    every = holm([None if np.isnan(value) else value for value in p.tolist()])
    return {
        "overall": overall,
        "refused": None,
        **_listed(made, [every[place] for place in kept], len(p), every),
    }


def welch_p(found: Groups, first: Ints, second: Ints) -> Floats:
    """Return (m,): p of Welch's test of these pairs of groups; NaN without a test."""
    of_mean = np.where(found.n >= 2, found.variance / np.maximum(found.n, 1), np.nan)
    a, b = of_mean[first], of_mean[second]
    with np.errstate(invalid="ignore", divide="ignore"):
        df = (a + b) ** 2 / (
            a**2 / np.maximum(found.n[first] - 1, 1) + b**2 / np.maximum(found.n[second] - 1, 1)
        )
        t = (found.mean[first] - found.mean[second]) / np.sqrt(a + b)
    return np.where(a + b > 0, 2 * stats.t.sf(np.abs(t), df), np.nan)


def one_way_test(values: Floats, codes: Ints) -> Test:
    """Return F of equal means of the groups of (n,) values; f and p are None if `refused` says why."""
    nothing = {"f": None, "df1": None, "df2": None, "p": None}
    groups = int(codes.max(initial=-1)) + 1
    df1, df2 = groups - 1, len(values) - groups
    if df1 < 1 or df2 < 1:
        return {
            **nothing,
            "refused": "fewer than 2 groups" if df1 < 1 else "too few images for this many groups",
        }
    found = grouped(values, codes, groups)
    if not found.varies.any():
        return {**nothing, "refused": "the scores of images do not vary within groups"}
    between = float((found.n * (found.mean - values.mean()) ** 2).sum()) / df1
    f = between / (float((found.variance * np.maximum(found.n - 1, 0)).sum()) / df2)
    return {"f": f, "df1": df1, "df2": df2, "p": float(stats.f.sf(f, df1, df2)), "refused": None}


def _samples(found: Groups) -> list[Sample]:
    columns = (found.n.tolist(), found.mean.tolist(), found.variance.tolist())
    return [Sample(n, mean, variance) for n, mean, variance in zip(*columns, strict=True)]


def _listed(
    tests: list[Test], values: Sequence[float | None], pairs: int, every: Sequence[float | None] = ()
) -> dict[str, Any]:
    """Return the pairs with their corrected p, and how many there are."""
    known = [value for value in every if value is not None]
    for test, value in zip(tests, values, strict=True):
        test["p_holm"] = value
        test["simultaneous"] = simultaneous(test, len(known))
    return {
        "tested": len(known),
        "clear": sum(value < 0.05 for value in known),
        "pairs": tests,
        "pairs_left_out": pairs - len(tests),
    }


def _within(parts: Floats, labels: Sequence[str]) -> dict[str, Any]:
    """Return the paired tests of (m images, k) parts of the scores."""
    tests = corrected(
        [
            {"a": labels[i], "b": labels[j], **_paired(parts[:, i] - parts[:, j])}
            for i, j in combinations(range(len(labels)), 2)
        ]
    )
    known = [test["p_holm"] for test in tests if test["p_holm"] is not None]
    tests.sort(key=lambda test: 2 if test["p"] is None else test["p"])
    return {
        "overall": repeated_measures(parts),
        "refused": None,
        "tested": len(known),
        "clear": sum(value < 0.05 for value in known),
        "pairs": tests,
        "pairs_left_out": 0,
    }


def _paired(gaps: Floats) -> Test:
    """Return the paired t test of (m,) differences."""
    n = len(gaps)
    if n < 2:
        value = float(gaps[0]) if n else None
        return untested("fewer than 2 images", value=value, n_units=n, method=PAIRED)
    gap = float(gaps.mean())
    if np.ptp(gaps) <= SAME:
        reason = "the difference is the same in every image"
        return untested(reason, value=gap, n_units=n, method=PAIRED)
    return t_test(gap, float(gaps.std(ddof=1)) / n**0.5, n - 1, n_units=n, method=PAIRED)


def repeated_measures(parts: Floats) -> Test:
    """Return F of equal means of the k columns of (m, k) values, Greenhouse-Geisser; None if `refused`."""
    images, k = parts.shape
    nothing = {"f": None, "df1": None, "df2": None, "p": None, "epsilon": None}
    if images < 2:
        return {**nothing, "refused": "fewer than 2 images"}
    contrasts = np.linalg.svd(np.eye(k) - 1 / k)[0][:, : k - 1]
    covariance = np.cov(parts @ contrasts, rowvar=False)
    total = float(np.trace(covariance))
    if total <= SAME**2:
        return {**nothing, "refused": "the parts of the score differ by the same in every image"}
    epsilon = total**2 / (k - 1) / float((covariance * covariance).sum())
    between = images * float(((parts.mean(axis=0) @ contrasts) ** 2).sum())
    df1, df2 = (k - 1) * epsilon, (k - 1) * (images - 1) * epsilon
    f = between / total
    return {
        "f": f,
        "df1": df1,
        "df2": df2,
        "p": float(stats.f.sf(f, df1, df2)),
        "epsilon": epsilon,
        "refused": None,
    }
