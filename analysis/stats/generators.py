"""Every two generators compared over their images."""

from __future__ import annotations

from itertools import combinations

from analysis.stats.effects import Sample, hedges_g
from analysis.stats.holm import holm
from analysis.stats.images import ImageTable
from analysis.stats.means import grouped
from analysis.stats.welch import Test, welch_from


def generator_comparisons(table: ImageTable) -> list[Test]:
    """Welch's test, Holm-corrected, and Hedges' g of every two generators, in the order of their names.

    The unit is the image. `difference` is mean a − mean b with the interval that belongs to the test.
    """
    labels = table.frame.labels("generator")
    found = grouped(table.scores, table.codes("generator"), len(labels))
    samples = [
        Sample(int(n), float(mean), float(variance))
        for n, mean, variance in zip(found.n, found.mean, found.variance, strict=True)
    ]
    tests = [
        {"a": labels[i], "b": labels[j], **_compared(samples[i], samples[j])}
        for i, j in combinations(range(len(labels)), 2)
    ]
    return corrected(tests)


def corrected(tests: list[Test]) -> list[Test]:
    """The same tests, each with `p_holm`: p corrected for how many tests stand together."""
    for test, value in zip(tests, holm([test["p"] for test in tests]), strict=True):
        test["p_holm"] = value
    return tests


def _compared(a: Sample, b: Sample) -> Test:
    return {
        "images_a": a.n,
        "images_b": b.n,
        "mean_a": a.mean,
        "mean_b": b.mean,
        **welch_from(a, b),
        "hedges_g": hedges_g(a, b),
    }
