"""Data of figures beyond means: distributions, bands and crossed sums.

Over annotations, as in the published study's figures.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.bands import BANDS, FEWEST_FOR_BANDS, UNKNOWN, certain_bands, uncertain
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.images import Kind, kind_sums
from analysis.stats.means import SAME

POINTS: Final = 120
GRID: Final = 64
BINS: Final = 40
# At most this many shapes, for legibility and small reports.
GROUPS: Final = 60
# generators × prompts
CELLS: Final = 2000
# Above this many distinct values, the density uses bins.
VALUES: Final = 1000

_KINDS: Final[tuple[Kind, ...]] = ("type", "part")

Shape = dict[str, Any]


def distributions(frame: RatingsFrame) -> dict[str, Any]:
    """Return the histogram of all scores, shapes by generator, prompt and annotator, bands by generator."""
    return {
        "histogram": histogram(frame.scores),
        "generators": _shapes(frame, "generator"),
        "prompts": _prompt_shapes(frame),
        "annotators": _shapes(frame, "annotator"),
        **_bands(frame),
    }


def histogram(scores: Floats) -> dict[str, Any]:
    """Return counts between `edges`, with a round step near the width of D. Freedman, P. Diaconis (1981)."""
    if not len(scores):
        return {"edges": [], "counts": []}
    step = _round_step(scores)
    bins = math.floor(float(scores.max()) / step + SAME) + 1
    counts = np.bincount(np.floor(scores / step + SAME).astype(np.int64), minlength=bins)
    return {"edges": [k * step for k in range(bins + 1)], "counts": counts.tolist()}


def _round_step(scores: Floats) -> float:
    q1, q3 = np.quantile(scores, [0.25, 0.75]).tolist()
    width = max(2 * (q3 - q1) / len(scores) ** (1 / 3), float(scores.max()) / BINS, 1e-3)
    tens = 10.0 ** math.floor(math.log10(width))
    return next(tens * size for size in (1, 2, 2.5, 5, 10) if tens * size >= width - SAME)


def _shapes(frame: RatingsFrame, column: str) -> list[Shape]:
    labels = frame.labels(column)
    if not labels or len(labels) > GROUPS:
        return []
    codes = frame.codes(column)
    order = np.argsort(codes, kind="stable")
    parts = np.split(frame.scores[order], np.cumsum(np.bincount(codes))[:-1])
    return [{column: label, **shape(part)} for label, part in zip(labels, parts, strict=True)]


def shape(values: Floats) -> Shape:
    """Return five-number summary, density and points of (n ≥ 1,) values.

    `density` is (x, height) at 64 points between smallest and largest value, by a Gaussian kernel with the
    width of D. W. Scott (1992), n^(-1/5) sample standard deviations of all n values; empty if all values are
    equal. With more than 120 values, `points` are those at evenly spaced ranks.
    """
    ordered = np.sort(values)
    shown = ordered
    if len(ordered) > POINTS:
        shown = ordered[np.linspace(0, len(ordered) - 1, POINTS).round().astype(np.int64)]
    names = ("min", "q1", "median", "q3", "max")
    numbers = np.quantile(ordered, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return {
        "n": len(ordered),
        "mean": float(ordered.mean()),
        **dict(zip(names, numbers, strict=True)),
        "density": _density(ordered),
        "points": shown.tolist(),
    }


def _density(ordered: Floats) -> list[list[float]]:
    low, high = float(ordered[0]), float(ordered[-1])
    if high - low <= SAME:
        return []
    starts = np.flatnonzero(np.diff(ordered, prepend=np.nan) != 0)
    places, counts = ordered[starts], np.diff(np.append(starts, len(ordered)))
    if len(places) > VALUES:
        counts, edges = np.histogram(ordered, bins=VALUES)
        places = (edges[1:] + edges[:-1]) / 2
    kernel = stats.gaussian_kde(places, bw_method=1.0, weights=counts)
    # With weights scipy assumes fewer values, so the width of all n is given.
    width = len(ordered) ** -0.2 * float(ordered.std(ddof=1))
    kernel.set_bandwidth(width / float(kernel.covariance[0, 0]) ** 0.5)
    grid = np.linspace(low, high, GRID)
    return [[x, height] for x, height in zip(grid.tolist(), kernel(grid).tolist(), strict=True)]


def _prompt_shapes(frame: RatingsFrame) -> list[Shape]:
    shapes, groups = _shapes(frame, "prompt"), _groups_of(frame)
    return [{"prompt": found["prompt"], "prompt_group": groups[found["prompt"]], **found} for found in shapes]


def _groups_of(frame: RatingsFrame) -> dict[str, str]:
    first = np.unique(frame.codes("prompt"), return_index=True)[1]
    names = np.array(frame.labels("prompt_group"), dtype=object)[frame.codes("prompt_group")[first]]
    return dict(zip(frame.labels("prompt"), names.tolist(), strict=True))


def _bands(frame: RatingsFrame) -> dict[str, Any]:
    """Return each generator's annotations that are low, medium and high among their annotator's scores.

    `bands_cut` says from how few scores bands are cut, and how many annotations of how many annotators are
    left out because they have fewer than `FEWEST_FOR_BANDS` scores.
    """
    labels, annotators = frame.labels("generator"), frame.codes("annotator")
    bands, sizes = certain_bands(frame.scores, annotators)
    known = bands != UNKNOWN
    fewest = int(sizes[known].min()) if known.any() else None
    counts = np.zeros((len(labels), len(BANDS)), dtype=np.int64)
    np.add.at(counts, (frame.codes("generator")[known], bands[known]), 1)
    return {
        "bands": [
            {"generator": label, **dict(zip(BANDS, row, strict=True))}
            for label, row in zip(labels, counts.tolist(), strict=True)
        ],
        "bands_cut": {
            "fewest": FEWEST_FOR_BANDS,
            "scores": fewest,
            "annotations_left_out": int((~known).sum()),
            "annotators_left_out": len(np.unique(annotators[~known])),
            "caution": None if fewest is None else uncertain(fewest),
        },
    }


def severity_sums(frame: RatingsFrame) -> dict[str, Any]:
    """Return unweighted error fractions summed by generator × prompt × kind × severity, as nested lists.

    `error_types` is [generator][prompt][5][3], `body_parts` likewise, in the order of `generators` and
    `prompts` and the published order of kinds. With too many of them, `refused` is set instead.
    """
    generators, prompts = frame.labels("generator"), frame.labels("prompt")
    names = {"generators": generators, "prompts": prompts}
    shape_ = len(generators), len(prompts)
    if shape_[0] * shape_[1] > CELLS:
        return {"refused": f"too many: {shape_[0]} generators × {shape_[1]} prompts", **names}
    codes = frame.codes("generator") * shape_[1] + frame.codes("prompt")
    types, parts = (_summed(frame, kind, codes, shape_) for kind in _KINDS)
    return {"refused": None, **names, "error_types": types, "body_parts": parts}


def _summed(frame: RatingsFrame, kind: Kind, codes: Ints, shape_: tuple[int, int]) -> list[Any]:
    sums = kind_sums(frame, kind, codes, shape_[0] * shape_[1])
    return list(sums.reshape(*shape_, *sums.shape[1:]).tolist())
