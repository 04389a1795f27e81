"""One row per image, the unit of analysis of comparisons.

Two annotations of an image are not independent scores of its generator, so a doubly annotated image counts
once, with the mean of its annotations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from analysis.stats.frames import Floats, Ints, RatingsFrame
from scoring.grid.taxonomy import BODY_PARTS, SEVERITIES

Kind = Literal["type", "part"]


@dataclass(frozen=True)
class ImageTable:
    """Images of a frame, in the order of its `image_codes`.

    `scores` is (m,) cumulative scores; `types` and `parts` are (m, 5, 3) unweighted error fractions by
    error type and by body part, in published order; all of them means over the image's annotations.
    `first` is (m,) the row of the frame that describes the image.
    """

    frame: RatingsFrame
    scores: Floats
    types: Floats
    parts: Floats
    first: Ints

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def severity(self) -> Floats:
        """Return (m, 3): unweighted error fractions by severity."""
        return np.asarray(self.types.sum(axis=1))

    def codes(self, column: str) -> Ints:
        """Return (m,): generator, prompt or prompt group as indices into the frame's labels."""
        return self.frame.codes(column)[self.first]


def image_table(frame: RatingsFrame) -> ImageTable:
    """Return the images of a frame, in linear time because marks and rows are sorted by image."""
    codes = frame.image_codes
    n_annotators = np.bincount(codes)
    first = np.cumsum(n_annotators) - n_annotators
    size = np.maximum(n_annotators, 1)
    return ImageTable(
        frame=frame,
        scores=np.bincount(codes, frame.scores) / size,
        types=kind_sums(frame, "type", codes, len(n_annotators)) / size[:, None, None],
        parts=kind_sums(frame, "part", codes, len(n_annotators)) / size[:, None, None],
        first=first,
    )


def kind_sums(frame: RatingsFrame, kind: Kind, groups: Ints, size: int) -> Floats:
    """Return (size, 5, 3): unweighted error fractions by error type or body part, summed over groups of rows.

    `groups` is (n,) with values below `size`.
    """
    marks, parts = frame.marks, len(BODY_PARTS)
    part = marks.cell // parts if kind == "type" else marks.cell % parts
    wide = parts * len(SEVERITIES)
    place = groups[marks.row] * wide + part.astype(np.int64) * len(SEVERITIES) + marks.severity
    flat = np.bincount(place, marks.fraction, minlength=size * wide).astype(np.float64, copy=False)
    return flat.reshape(size, parts, len(SEVERITIES))
