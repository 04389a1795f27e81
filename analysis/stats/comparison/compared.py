"""What a comparison compares: a score of every annotation and every image, of any protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from analysis.stats.frames import AnnotationTable, Floats, Ints
from analysis.stats.generic.tables import ResultColumn
from scoring.protocol import Variable


@dataclass(frozen=True)
class ImageColumn:
    """A number of every image, (m,), that tables of groups of images show beside the mean score.

    Of a `count` they show the sum over the group's images, of any other kind the mean.
    """

    column: ResultColumn
    values: Floats

    def by(self, codes: Ints, n: Ints) -> list[float | int]:
        """Return the number of each group, of (m,) codes of groups with n images each."""
        sums = np.bincount(codes, self.values, minlength=len(n))
        if self.column.kind == "count":
            return [int(total) for total in sums.round().tolist()]
        means: list[float] = (sums / np.maximum(n, 1)).tolist()
        return means


@dataclass(frozen=True)
class Compared:
    """Annotations with a score each, and the score of each image.

    `scores` are (n,) of the `headline`, one for each annotation; `images` are (m,), in the order of the
    frame's `image_codes`: the mean of the image's annotations, or what the protocol makes of them.
    `adjudicated` are decided scores by image id, which enter nothing but a column of their own.
    `as_published` adds means over annotations, as the published study of the protocol has them.
    """

    frame: AnnotationTable
    headline: Variable
    scores: Floats
    images: Floats
    adjudicated: Mapping[int, float] = field(default_factory=dict)
    columns: tuple[ImageColumn, ...] = ()
    as_published: bool = False

    @cached_property
    def first(self) -> Ints:
        """Return (m,): the row of the frame that describes each image."""
        return np.flatnonzero(np.diff(self.frame.image_codes, prepend=-1))

    @cached_property
    def ids(self) -> list[int]:
        """Return the id of each image."""
        ids: list[int] = self.frame.annotations["image"].to_numpy()[self.first].tolist()
        return ids

    @cached_property
    def decided(self) -> dict[int, float]:
        """Return the adjudicated scores by place among the images."""
        return {
            place: self.adjudicated[image]
            for place, image in enumerate(self.ids if self.adjudicated else ())
            if image in self.adjudicated
        }

    def codes(self, column: str) -> Ints:
        """Return (m,): generator, prompt or prompt group of each image, as indices into the labels."""
        return self.frame.codes(column)[self.first]


def image_means(frame: AnnotationTable, scores: Floats) -> Floats:
    """Return (m,): the mean of each image's (n,) scores, in the order of the frame's `image_codes`."""
    codes = frame.image_codes
    return np.asarray(np.bincount(codes, scores) / np.maximum(np.bincount(codes), 1), dtype=np.float64)
