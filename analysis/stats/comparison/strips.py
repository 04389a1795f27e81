"""Images that show what a generator's scores mean: at equal steps of rank, from the lowest to the highest."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.comparison.compared import Compared
from analysis.stats.frames import Floats, Ints
from analysis.stats.rank_correlation import without_noise

STEPS: Final = 6
LISTED: Final = 40
"""Generators with strips: those with the most images."""


def strips(compared: Compared) -> list[dict[str, Any]]:
    """Return images of each generator at equal steps of rank of their scores, ties in order of the images.

    `image` is the image's id, `score` its score, `next` the image that follows in rank, to take its place
    (before the last one, the one before).
    """
    labels, codes = compared.frame.labels("generator"), compared.codes("generator")
    ids, ranked = np.array(compared.ids, dtype=np.int64), without_noise(compared.images)
    sizes = np.bincount(codes, minlength=len(labels))
    made = []
    for place in np.sort(np.argsort(-sizes, kind="stable")[:LISTED]).tolist():
        own = np.flatnonzero(codes == place)
        ordered = own[np.lexsort((ids[own], ranked[own]))]
        ranks = sorted(set(np.linspace(0, len(ordered) - 1, STEPS).round().astype(int).tolist()))
        steps = [_step(ordered, rank, compared.images, ids) for rank in ranks]
        made.append({"generator": labels[place], "images": steps})
    return made


def _step(ordered: Ints, rank: int, scores: Floats, ids: Ints) -> dict[str, Any]:
    # The last one of a strip has a neighbour before it only.
    beside = rank + 1 if rank + 1 < len(ordered) else rank - 1
    return {
        **_told(ordered[rank], scores, ids),
        "next": None if beside < 0 else _told(ordered[beside], scores, ids),
    }


def _told(place: int, scores: Floats, ids: Ints) -> dict[str, Any]:
    return {"image": int(ids[place]), "score": float(scores[place])}
