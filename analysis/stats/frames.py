"""The table that all statistics read: one row per annotation, with numbers as floats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.stats.building import TEXT_COLUMNS, FrameParts, RatedAnnotation, build_parts
from scoring.grid.severity_weights import Weights
from scoring.grid.taxonomy import CELLS, SEVERITIES

__all__ = [
    "TEXT_COLUMNS",
    "AnnotationTable",
    "Bools",
    "Floats",
    "Ints",
    "Marks",
    "RatedAnnotation",
    "RatingsFrame",
    "build_frame",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

N_CELLS: Final = len(CELLS)
N_SEVERITIES: Final = len(SEVERITIES)


@dataclass(frozen=True)
class Marks:
    """All marks, sorted by row: a sparse table for a million annotations.

    All are (m,): `row` of the frame, `cell` 0 to 24 in published order, `severity` 0 to 2, `affected` and
    `total` as the annotator counted them, `pins` how many places in the image were pinned for it.
    """

    row: npt.NDArray[np.int32]
    cell: npt.NDArray[np.int8]
    severity: npt.NDArray[np.int8]
    affected: npt.NDArray[np.int32]
    total: npt.NDArray[np.int32]
    pins: npt.NDArray[np.uint8]

    @cached_property
    def fraction(self) -> Floats:
        """Return (m,): affected / total, the float nearest to the exact fraction (Equation 1)."""
        return np.asarray(self.affected / self.total)

    def of(self, row: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield cell, affected, total and severity of a row's marks."""
        # In the type of the rows, to avoid converting a million of them.
        start, end = np.searchsorted(self.row, np.array([row, row + 1], dtype=np.int32)).tolist()
        columns = (self.cell, self.affected, self.total, self.severity)
        return zip(*(column[start:end].tolist() for column in columns), strict=True)


@dataclass(frozen=True)
class AnnotationTable:
    """Annotations of one project under one protocol; each (image, annotator) pair occurs once.

    `annotations` has n rows, sorted by image and annotator, and the columns image (int), annotator,
    generator, prompt, prompt_group, batch (categories in sorted order), number (int) and annotation (int, the
    annotation id or 0).

    `targeted` are the ids of annotations requested because of earlier annotations of the image, `unstated`
    those made elsewhere for which the import did not state whether the image was drawn at random. `suggested`
    are the ids of annotations whose annotator was shown a suggestion.
    """

    annotations: pd.DataFrame
    targeted: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64), kw_only=True)
    unstated: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64), kw_only=True)
    suggested: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64), kw_only=True)

    def __len__(self) -> int:
        return len(self.annotations)

    @cached_property
    def image_codes(self) -> Ints:
        """Return (n,): images as 0, 1, … in the order of their numbers."""
        images = self.annotations["image"].to_numpy()
        if not len(images):
            return np.zeros(0, dtype=np.int64)
        # Rows are sorted by image, so a new code begins wherever the image changes.
        return np.concatenate([[0], np.cumsum(images[1:] != images[:-1])]).astype(np.int64)

    @cached_property
    def is_targeted(self) -> Bools:
        """Return (n,): whether the annotation was requested because of earlier ones of the image."""
        return np.isin(self.annotations["annotation"].to_numpy(), self.targeted)

    @cached_property
    def at_random(self) -> Self:
        """Return the annotations without targeted ones, which would bias agreement."""
        return self.only(~self.is_targeted) if self.is_targeted.any() else self

    @cached_property
    def is_suggested(self) -> Bools:
        """Return (n,): whether the annotator was shown a suggestion."""
        return np.isin(self.annotations["annotation"].to_numpy(), self.suggested)

    @cached_property
    def in_both_arms(self) -> Bools:
        """Return (n,): whether some of the image's annotators were shown a suggestion and others were not."""
        shown = np.bincount(self.image_codes, self.is_suggested)
        return ((shown > 0) & (shown < np.bincount(self.image_codes)))[self.image_codes]

    @cached_property
    def comparable(self) -> Self:
        """Return `at_random` without the images that annotators saw in different arms."""
        drawn = self.at_random
        return drawn.only(~drawn.in_both_arms) if len(self.suggested) and drawn.in_both_arms.any() else drawn

    def only(self, rows: Bools) -> Self:
        """Return these (n,) rows as a table with only the texts that occur in them."""
        table = self.annotations[rows].reset_index(drop=True)
        for name in TEXT_COLUMNS:
            table[name] = table[name].cat.remove_unused_categories()
        return replace(self, annotations=table, **self._only(rows))

    def _only(self, rows: Bools) -> dict[str, Any]:
        """Return the table's fields besides `annotations`, for these rows."""
        return {}

    def targeted_counts(self) -> dict[str, dict[str, int]]:
        """Return the number of annotations and images that `at_random` leaves out; empty if none."""
        return {"targeted": self._told(self.is_targeted)} if self.is_targeted.any() else {}

    def drawn_counts(self) -> dict[str, dict[str, int]]:
        """Return `targeted_counts`, and how many annotations may not be at random or are in both arms."""
        several = np.bincount(self.image_codes)[self.image_codes] > 1
        unstated = several & np.isin(self.annotations["annotation"].to_numpy(), self.unstated)
        mixed = self.in_both_arms & ~self.is_targeted
        told = self.targeted_counts() | ({"drawn_unknown": self._told(unstated)} if unstated.any() else {})
        return told | ({"mixed_arms": self._told(mixed)} if mixed.any() else {})

    def _told(self, rows: Bools) -> dict[str, int]:
        return {"answers": int(rows.sum()), "images": len(np.unique(self.image_codes[rows]))}

    def labels(self, column: str) -> list[str]:
        """Return the sorted distinct texts of a column, which `codes` index."""
        return [str(label) for label in self.annotations[column].cat.categories]

    def codes(self, column: str) -> Ints:
        """Return (n,): a text column as indices into `labels`."""
        return self.annotations[column].cat.codes.to_numpy().astype(np.int64)

    def parts(self, column: str, values: Floats) -> dict[str, Floats]:
        """Return (n,) values divided by a text column, in the order of its labels."""
        codes = self.codes(column)
        return {label: values[codes == code] for code, label in enumerate(self.labels(column))}

    def n_annotators(self, column: str) -> Ints:
        """Return (labels,): how many annotators judged images of each value of a column."""
        groups, people = len(self.labels(column)), len(self.labels("annotator"))
        places = self.codes(column) * people + self.codes("annotator")
        counts = np.bincount(places, minlength=groups * people).reshape(groups, people)
        return np.asarray((counts > 0).sum(axis=1))


@dataclass(frozen=True)
class RatingsFrame(AnnotationTable):
    """Annotations of the anatomy protocol under one set of weights.

    `annotations` also has the column cumulative_score (float of the exact fraction, so that equal scores are
    equal floats). `exact_weights` are those of severities a, b, c.
    """

    marks: Marks
    exact_weights: tuple[Fraction, ...]

    @cached_property
    def weights(self) -> Floats:
        """Return (3,): the weights of severities a, b, c as floats."""
        return np.array([float(weight) for weight in self.exact_weights])

    @cached_property
    def cells(self) -> Bools:
        """Return (n, 25): whether the annotator marked any error in the cell."""
        marked = np.zeros((len(self), N_CELLS), dtype=np.bool_)
        marked[self.marks.row, self.marks.cell] = True
        return marked

    def _only(self, rows: Bools) -> dict[str, Any]:
        marks = self.marks
        kept = rows[marks.row]
        place = (np.cumsum(rows) - 1).astype(np.int32)
        return {
            "marks": Marks(
                row=place[marks.row[kept]],
                cell=marks.cell[kept],
                severity=marks.severity[kept],
                affected=marks.affected[kept],
                total=marks.total[kept],
                pins=marks.pins[kept],
            )
        }

    @cached_property
    def scores(self) -> Floats:
        """Return (n,): cumulative scores."""
        return self.annotations["cumulative_score"].to_numpy(dtype=np.float64)


def build_frame(rows: Iterable[RatedAnnotation], weights: Weights) -> RatingsFrame:
    """Return the frame of these annotations under these weights (keys a, b, c).

    A cumulative score stored under other weights is recomputed exactly. Raise ValueError naming an unknown
    component, a missing cumulative score or a repeated (image, annotator) pair.
    """
    return _in_order(build_parts(rows, weights), weights)


def _in_order(parts: FrameParts, weights: Weights) -> RatingsFrame:
    """Return the parts sorted, so that sums do not depend on database order, even in the last bit."""
    table = parts.table
    order = np.lexsort((table["annotator"].cat.codes, table["image"]))
    place = np.empty(len(table), dtype=np.int32)
    place[order] = np.arange(len(table), dtype=np.int32)
    row = place[parts.row]
    # Sort slots within a row too, so that the order of marks does not change the sum.
    by_row = np.lexsort((parts.slot, row))
    slot = parts.slot[by_row]
    marks = Marks(
        row=row[by_row],
        cell=(slot // N_SEVERITIES).astype(np.int8),
        severity=(slot % N_SEVERITIES).astype(np.int8),
        affected=parts.affected[by_row],
        total=parts.total[by_row],
        pins=parts.pins[by_row],
    )
    exact = tuple(Fraction(weights[severity]) for severity in SEVERITIES)
    return RatingsFrame(table.iloc[order].reset_index(drop=True), marks, exact)
