"""The images with the largest disagreements, for any protocol, as a table that pages show with the images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.stats.frames import AnnotationTable, Floats, Ints
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.pairs import SharedImages
from analysis.stats.rank_correlation import without_noise
from scoring.rounding import half_up

LISTED: Final = 200
CHUNK: Final = 50_000
TIES: Final = "If more than two people annotated an image, the two who differ most are compared."


@dataclass(frozen=True)
class Differences:
    """By what two annotations of an image differ.

    `headline` is (n,), NaN where an annotation lacks it, `title` its title. `counted` (n, c) are the values
    of the `components` in which differences are counted, `count_title` what such a count is called; `texts`
    returns the c texts of a row. `components_first` orders by the count, then by the headline.
    """

    headline: Floats
    title: str
    components: Sequence[str]
    counted: npt.NDArray[Any]
    texts: Callable[[int], Sequence[str]]
    count_title: str = "Components that differ"
    components_first: bool = True

    @property
    def order(self) -> str:
        """Return by what the images are ordered, as text."""
        headline = f"difference in “{self.title}”"
        if not self.components:
            return f"{headline}, largest first"
        counted = f"number of {self.count_title[0].lower()}{self.count_title[1:]}"
        first, second = (counted, headline) if self.components_first else (headline, counted)
        return f"{first}, largest first, then {second}"


def disagreements_table(frame: AnnotationTable, shared: SharedImages, differences: Differences) -> Json:
    """Return the `LISTED` images with the largest disagreement, one row per image.

    Where only one annotator has an optional headline, the difference is 0.
    """
    values = differences.headline
    apart = np.nan_to_num(np.abs(values[shared.first] - values[shared.second]))
    differing, images = _differing(differences.counted, shared), frame.image_codes[shared.first]
    # Equal differences of scores may differ in their last bits.
    keys = [-differing, -without_noise(apart)]
    if not differences.components_first:
        keys.reverse()
    order = np.lexsort((np.arange(len(images)), images, keys[1], keys[0]))
    # The first entry of an image in this order has its largest disagreement.
    _, first = np.unique(images[order], return_index=True)
    chosen = order[np.sort(first)]
    left_out = len(chosen) - LISTED
    rest = f" {left_out:,} images with smaller disagreements are not listed." if left_out > 0 else ""
    return table(
        "disagreements",
        "Largest disagreements",
        f"Ordered by {differences.order}. {TIES}{rest}",
        (
            ResultColumn("image", "Image id", "data", "the image"),
            ResultColumn("generator", "Generator"),
            ResultColumn("prompt", "Prompt"),
            ResultColumn("number", "Image", "count", "its number within generator and prompt"),
            ResultColumn("annotators", "Annotators"),
            ResultColumn("annotations", "Annotation ids", "data", "their annotations"),
            ResultColumn("scores", differences.title, "number", "of both annotators"),
            ResultColumn("difference", "Difference", "number"),
            ResultColumn("one_sided", differences.count_title, "count"),
            ResultColumn("cells", "Components", "data", "those that differ, as both annotated them"),
        ),
        _rows(frame, differences, shared, apart, differing, chosen[:LISTED]),
        line=_line(differences.title, apart, differing),
    )


def _line(title: str, apart: Floats, differing: Ints) -> str:
    if apart.any():
        return f"Up to {half_up(float(apart.max()), 2)} between two annotations of one image"
    return f"{title}: no two annotations of an image differ" if len(apart) and not differing.any() else ""


def _differing(counted: npt.NDArray[Any], shared: SharedImages) -> Ints:
    """Return (m,): in how many components the two annotators of each entry differ."""
    differing = np.zeros(len(shared.first), dtype=np.int64)
    for start in range(0, len(differing) if counted.shape[1] else 0, CHUNK):
        part = slice(start, start + CHUNK)
        differing[part] = (counted[shared.first[part]] != counted[shared.second[part]]).sum(axis=1)
    return differing


def _rows(
    frame: AnnotationTable,
    differences: Differences,
    shared: SharedImages,
    apart: Floats,
    differing: Ints,
    chosen: Ints,
) -> Iterator[list[Any]]:
    first, second = shared.first[chosen], shared.second[chosen]
    one, other = (frame.annotations.iloc[rows] for rows in (first, second))
    about = zip(
        one["image"].tolist(),
        one["generator"].tolist(),
        one["prompt"].tolist(),
        one["number"].tolist(),
        map(list, zip(one["annotator"], other["annotator"], strict=True)),
        map(list, zip(one["annotation"].tolist(), other["annotation"].tolist(), strict=True)),
        strict=True,
    )
    for place, rows, named in zip(
        chosen.tolist(), zip(first.tolist(), second.tolist(), strict=True), about, strict=True
    ):
        values = differences.headline[list(rows)].tolist()
        scores = [None if np.isnan(value) else value for value in values]
        both = zip(differences.components, *map(differences.texts, rows), strict=True)
        cells = [{"cell": name, "marks": list(marks)} for name, *marks in both if marks[0] != marks[1]]
        yield [*named, scores, float(apart[place]), int(differing[place]), cells]
