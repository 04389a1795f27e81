"""Images that show what a generator's scores mean: at equal steps of rank, from fewest errors to most."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.frames import Floats, Ints
from analysis.stats.images import ImageTable

STEPS: Final = 6
LISTED: Final = 40
"""Generators with strips: those with the most images."""


def strips(table: ImageTable) -> dict[str, list[dict[str, Any]]]:
    """Return images of each generator at equal steps of rank, once by image and once by annotation.

    `image` is the image's id, `score` that of the image or of the annotation, `next` the image that follows
    in rank, to take its place (None after the last).
    """
    frame = table.frame
    images = frame.annotations["image"].to_numpy()
    labels = frame.labels("generator")
    return {
        "image": _strips(labels, table.codes("generator"), table.scores, images[table.first]),
        "annotations": _strips(labels, frame.codes("generator"), frame.scores, images),
    }


def _strips(labels: list[str], codes: Ints, scores: Floats, images: Ints) -> list[dict[str, Any]]:
    """Return the strips of (n,) scores of images, ties in the order of the images."""
    sizes = np.bincount(codes, minlength=len(labels))
    listed = np.sort(np.argsort(-sizes, kind="stable")[:LISTED])
    made = []
    for place in listed.tolist():
        own = np.flatnonzero(codes == place)
        ordered = own[np.lexsort((images[own], scores[own]))]
        ranks = _ranks(images[ordered])
        steps = [_step(ordered, rank, scores, images) for rank in ranks]
        made.append({"generator": labels[place], "images": steps})
    return made


def _ranks(images: Ints) -> list[int]:
    """Return equal steps of rank; a step to an image that is there already goes to the next other one."""
    found: list[int] = []
    there: set[int] = set()
    for rank in np.linspace(0, len(images) - 1, STEPS).round().astype(int).tolist():
        # From the last step there is only the way back.
        onward = range(rank, len(images)) if rank < len(images) - 1 else range(rank, -1, -1)
        other = next((each for each in onward if int(images[each]) not in there), None)
        if other is not None:
            found.append(other)
            there.add(int(images[other]))
    return found


def _step(ordered: Ints, rank: int, scores: Floats, images: Ints) -> dict[str, Any]:
    one = ordered[rank]
    # The last one of a strip has a neighbour before it only.
    other = ordered[rank + 1] if rank + 1 < len(ordered) else ordered[rank - 1] if rank else None
    return {
        "image": int(images[one]),
        "score": float(scores[one]),
        "next": None if other is None else {"image": int(images[other]), "score": float(scores[other])},
    }
