"""Generators crossed with prompts: the mean of each combination, and whether prompts change the order.

The F test of the interaction compares the additive model of generator and prompt with one mean for each
combination (D. C. Montgomery, "Design and Analysis of Experiments", chapter 5), by least squares over images.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.comparison.blocked import additive_fit
from analysis.stats.comparison.welch import Test
from analysis.stats.estimates import FROM_ZERO
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.images import ImageTable
from analysis.stats.means import SAME, grouped, mean_estimates

LISTED: Final = 200
"""Prompts whose means are listed: those with the most images."""


def generators_by_prompt(table: ImageTable) -> dict[str, Any]:
    """Return the interaction's test, and by prompt the mean of each generator with its interval."""
    generators, prompts = table.codes("generator"), table.codes("prompt")
    names, texts = table.frame.labels("generator"), table.frame.labels("prompt")
    images = np.bincount(prompts, minlength=len(texts))
    listed = np.sort(np.argsort(-images, kind="stable")[:LISTED])
    found = grouped(table.scores, prompts * len(names) + generators, len(texts) * len(names))
    means = mean_estimates(found, _coders(table.frame, len(names)), FROM_ZERO)
    return {
        "interaction": interaction_test(table.scores, generators, prompts),
        "prompts": [
            {
                "prompt": texts[place],
                "images": int(images[place]),
                "generators": [
                    {"generator": name, "mean": means[place * len(names) + i]}
                    for i, name in enumerate(names)
                    if found.n[place * len(names) + i]
                ],
            }
            for place in listed.tolist()
        ],
        "prompts_left_out": max(len(texts) - LISTED, 0),
    }


def _coders(frame: RatingsFrame, generators: int) -> Ints:
    """Return (prompts * generators,): how many annotators judged images of each combination."""
    size, people = len(frame.labels("prompt")) * generators, max(len(frame.labels("annotator")), 1)
    keys = frame.codes("prompt") * generators + frame.codes("generator")
    judged = np.unique(keys * people + frame.codes("annotator")) // people
    return np.bincount(judged, minlength=size)


def interaction_test(values: Floats, treatments: Ints, blocks: Ints) -> Test:
    """Return F of the interaction of (n,) treatments and blocks; f and p are None if `refused` says why."""
    keys = treatments * (int(blocks.max(initial=-1)) + 1) + blocks
    cells = np.unique(keys, return_inverse=True)[1]
    shape = len(np.unique(treatments)), len(np.unique(blocks))
    n_cells = int(cells.max(initial=-1)) + 1
    df1, df2 = n_cells - shape[0] - shape[1] + 1, len(values) - n_cells
    if min(shape) < 2:
        return _none("fewer than 2 generators or prompts")
    if df1 < 1:
        return _none("too few combinations of generator and prompt have images")
    if df2 < 1:
        return _none("no combination of generator and prompt has two images")
    additive = additive_fit(values, treatments, blocks)
    if additive is None:
        return _none("some generators share no prompt with the others")
    within = values - grouped(values, cells, n_cells).mean[cells]
    if np.abs(within).max() <= SAME:
        return _none("the scores of images do not vary within generator and prompt")
    inside = float(within @ within)
    f = (float(additive.rest @ additive.rest) - inside) / df1 / (inside / df2)
    return {"f": f, "df1": df1, "df2": df2, "p": float(stats.f.sf(f, df1, df2)), "refused": None}


def _none(reason: str) -> Test:
    return {"f": None, "df1": None, "df2": None, "p": None, "refused": reason}
