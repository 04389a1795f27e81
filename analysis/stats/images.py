"""One row per image, the unit of analysis of comparisons.

Two annotations of an image are not independent scores of its generator, so a doubly annotated image counts
once, with the mean of its annotations or the adjudicated value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from analysis.stats.frames import Floats, Ints, RatingsFrame
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES

# Image number -> (25, 3) adjudicated unweighted error fractions, as in a frame.
Adjudicated = Mapping[int, Floats]

Kind = Literal["type", "part"]

_SHAPE = (len(ERROR_TYPES), len(BODY_PARTS), len(SEVERITIES))


@dataclass(frozen=True)
class ImageTable:
    """Images of a frame, in the order of its `image_codes`.

    `scores` is (m,) cumulative scores; `types` and `parts` are (m, 5, 3) unweighted error fractions by
    error type and by body part, in published order; all of them means over the image's annotations, or
    the adjudicated value. `first` is (m,) the row of the frame that describes the image; `coders` (m,)
    how many judged it; `adjudicated` the number of images with an adjudicated value.
    """

    frame: RatingsFrame
    scores: Floats
    types: Floats
    parts: Floats
    first: Ints
    coders: Ints
    adjudicated: int

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def severity(self) -> Floats:
        """Return (m, 3): unweighted error fractions by severity."""
        return np.asarray(self.types.sum(axis=1))

    def codes(self, column: str) -> Ints:
        """Return (m,): generator, prompt or prompt group as indices into the frame's labels."""
        return self.frame.codes(column)[self.first]


def image_table(frame: RatingsFrame, adjudicated: Adjudicated | None = None) -> ImageTable:
    """Return the images of a frame, in linear time because marks and rows are sorted by image.

    Adjudicated images without annotations in the frame are left out.
    """
    codes = frame.image_codes
    coders = np.bincount(codes)
    first = np.cumsum(coders) - coders
    size = np.maximum(coders, 1)
    table = ImageTable(
        frame=frame,
        scores=np.bincount(codes, frame.scores) / size,
        types=kind_sums(frame, "type", codes, len(coders)) / size[:, None, None],
        parts=kind_sums(frame, "part", codes, len(coders)) / size[:, None, None],
        first=first,
        coders=coders,
        adjudicated=0,
    )
    return _decided(table, frame.annotations["image"].to_numpy()[first], adjudicated or {})


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


def kind_scores(frame: RatingsFrame, kind: Kind) -> Iterator[Floats]:
    """Return (n,) five times: the part of every score from each error type or body part."""
    marks, parts = frame.marks, len(BODY_PARTS)
    part = marks.cell // parts if kind == "type" else marks.cell % parts
    worth = marks.fraction * frame.weights[marks.severity]
    for k in range(parts):
        found = part == k
        yield np.bincount(marks.row[found], worth[found], minlength=len(frame)).astype(np.float64, copy=False)


def _decided(table: ImageTable, images: Ints, adjudicated: Adjudicated) -> ImageTable:
    """Return the table with adjudicated values."""
    places = {int(image): place for place, image in enumerate(images)} if adjudicated else {}
    found = [(places[image], fractions) for image, fractions in adjudicated.items() if image in places]
    if not found:
        return table
    rows = np.array([place for place, _ in found])
    grid = np.stack([fractions for _, fractions in found]).reshape(-1, *_SHAPE)
    scores, types, parts = table.scores.copy(), table.types.copy(), table.parts.copy()
    types[rows], parts[rows] = grid.sum(axis=2), grid.sum(axis=1)
    scores[rows] = types[rows].sum(axis=1) @ table.frame.weights
    return ImageTable(table.frame, scores, types, parts, table.first, table.coders, len(found))
