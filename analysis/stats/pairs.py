"""Pairs of annotators and their shared images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.stats.frames import AnnotationTable, Ints


@dataclass(frozen=True)
class SharedImages:
    """Each (pair of annotators, shared image) once, sorted by pair.

    `first` and `second` are (m,) rows of the frame, ordered by annotator name; `pair` is (m,) an index into
    `names`; `sizes` is (pairs,) the number of shared images.
    """

    names: list[tuple[str, str]]
    pair: Ints
    first: Ints
    second: Ints
    sizes: Ints

    @property
    def slices(self) -> list[slice]:
        """Return the slice of each pair in `pair`, `first` and `second`."""
        ends = np.cumsum(self.sizes)
        return [slice(int(end - size), int(end)) for end, size in zip(ends, self.sizes, strict=True)]


def shared_images(frame: AnnotationTable) -> SharedImages:
    """Return every pair of annotators that shares an image.

    Linear in the number of (pair, image) combinations, without filtering the frame for each pair.
    """
    images, annotators = frame.image_codes, frame.codes("annotator")
    order = np.lexsort((annotators, images))
    first, second = _neighbours(images[order])
    first, second = order[first], order[second]
    labels = frame.labels("annotator")
    key = annotators[first] * max(len(labels), 1) + annotators[second]
    by_pair = np.argsort(key, kind="stable")
    keys, sizes = np.unique(key, return_counts=True)
    names = [(labels[k // len(labels)], labels[k % len(labels)]) for k in keys.tolist()]
    return SharedImages(names, np.repeat(np.arange(len(keys)), sizes), first[by_pair], second[by_pair], sizes)


def _neighbours(images: Ints) -> tuple[Ints, Ints]:
    """Return all (i, j) with i < j and the same image, for sorted images."""
    lefts, rights = [], []
    left = np.arange(len(images))
    for lag in range(1, len(images)):
        left = left[left + lag < len(images)]
        left = left[images[left] == images[left + lag]]
        if not len(left):
            break
        lefts.append(left)
        rights.append(left + lag)
    nothing = np.zeros(0, dtype=np.int64)
    return np.concatenate([nothing, *lefts]), np.concatenate([nothing, *rights])
