"""The table that every statistic reads: one row per annotation, numbers as floats from here on."""

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
from scoring.grid.scores import Weights
from scoring.grid.taxonomy import CELLS, SEVERITIES

__all__ = [
    "TEXT_COLUMNS",
    "AnswerTable",
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
    """Every mark once, sorted by row: what a million annotations hold without a table of empty cells.

    All are (m,): `row` of the frame, `cell` 0 to 24 in published order, `severity` 0 to 2, `affected` and
    `total` as the annotator counted them.
    """

    row: npt.NDArray[np.int32]
    cell: npt.NDArray[np.int8]
    severity: npt.NDArray[np.int8]
    affected: npt.NDArray[np.int32]
    total: npt.NDArray[np.int32]

    @cached_property
    def fraction(self) -> Floats:
        """(m,): affected / total, the float nearest to the exact fraction (Equation 1)."""
        return np.asarray(self.affected / self.total)

    def of(self, row: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield cell, affected, total and severity of the marks of a row."""
        # In the type of the rows, or a million of them are converted first.
        start, end = np.searchsorted(self.row, np.array([row, row + 1], dtype=np.int32)).tolist()
        columns = (self.cell, self.affected, self.total, self.severity)
        return zip(*(column[start:end].tolist() for column in columns), strict=True)


@dataclass(frozen=True)
class AnswerTable:
    """Answers of one project under one protocol; an (image, annotator) pair occurs once.

    `annotations` has n rows, sorted by image and annotator, and the columns image (int), annotator,
    generator, prompt, prompt_group, batch (categories in sorted order), number (int), annotation (int, the
    id of the answer, 0 where it has none) and submitted (int, microseconds since 1970, -1 where nobody knows
    when the answer was made).

    `targeted` are the ids of answers that were asked for because of what had been said of their images.
    """

    annotations: pd.DataFrame
    targeted: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64), kw_only=True)

    def __len__(self) -> int:
        return len(self.annotations)

    @cached_property
    def image_codes(self) -> Ints:
        """(n,): images as 0, 1, … in the order of their numbers."""
        images = self.annotations["image"].to_numpy()
        if not len(images):
            return np.zeros(0, dtype=np.int64)
        # Rows are sorted by image: a new code begins wherever the image differs from the one before.
        return np.concatenate([[0], np.cumsum(images[1:] != images[:-1])]).astype(np.int64)

    @cached_property
    def is_targeted(self) -> Bools:
        """(n,): whether the answer was asked for because of what had been said of its image."""
        return np.isin(self.annotations["annotation"].to_numpy(), self.targeted)

    @cached_property
    def at_random(self) -> Self:
        """The answers that tell how often people agree: without those that were asked for to look again."""
        return self.only(~self.is_targeted) if self.is_targeted.any() else self

    def only(self, rows: Bools) -> Self:
        """These (n,) rows as a table of their own, with the texts that occur in them."""
        table = self.annotations[rows].reset_index(drop=True)
        for name in TEXT_COLUMNS:
            table[name] = table[name].cat.remove_unused_categories()
        return replace(self, annotations=table, **self._only(rows))

    def _only(self, rows: Bools) -> dict[str, Any]:
        """What a table has beside `annotations`, of these rows."""
        return {}

    def told_targeted(self) -> dict[str, dict[str, int]]:
        """How many answers `at_random` leaves out, and of how many images; nothing where it is none."""
        if not (count := int(self.is_targeted.sum())):
            return {}
        images = len(np.unique(self.image_codes[self.is_targeted]))
        return {"targeted": {"answers": count, "images": images}}

    def labels(self, column: str) -> list[str]:
        """The sorted distinct texts of a column; `codes` index into them."""
        return [str(label) for label in self.annotations[column].cat.categories]

    def codes(self, column: str) -> Ints:
        """(n,): a text column as indices into `labels`."""
        return self.annotations[column].cat.codes.to_numpy().astype(np.int64)

    def parts(self, column: str, values: Floats) -> dict[str, Floats]:
        """(n,) values divided by a text column, in the order of its labels."""
        codes = self.codes(column)
        return {label: values[codes == code] for code, label in enumerate(self.labels(column))}

    def coders(self, column: str) -> Ints:
        """(labels,): how many annotators judged images of each value of a column."""
        groups, people = len(self.labels(column)), len(self.labels("annotator"))
        places = self.codes(column) * people + self.codes("annotator")
        counts = np.bincount(places, minlength=groups * people).reshape(groups, people)
        return np.asarray((counts > 0).sum(axis=1))


@dataclass(frozen=True)
class RatingsFrame(AnswerTable):
    """Annotations of the anatomy protocol under one set of weights.

    `annotations` also has the column cumulative_score (float of the exact fraction, so that equal scores are
    equal floats). `exact_weights` are those of severities a, b, c.
    """

    marks: Marks
    exact_weights: tuple[Fraction, ...]

    @cached_property
    def weights(self) -> Floats:
        """(3,): the weights of severities a, b, c as floats."""
        return np.array([float(weight) for weight in self.exact_weights])

    def exact_score(self, row: int) -> Fraction:
        """The cumulative score of a row as a fraction: for what floats cannot tell apart."""
        return sum((Fraction(a, n) * self.exact_weights[s] for _, a, n, s in self.marks.of(row)), Fraction())

    @cached_property
    def fractions(self) -> Floats:
        """(n, 25, 3): unweighted error fractions, cells in published order, severities a, b, c.

        600 bytes a row: where there may be very many, `cell_scores` and `severity_sums` are enough.
        """
        dense = np.zeros((len(self), N_CELLS, N_SEVERITIES))
        marks = self.marks
        np.add.at(dense, (marks.row, marks.cell, marks.severity), marks.fraction)
        return dense

    @cached_property
    def cells(self) -> Bools:
        """(n, 25): whether the annotator marked any error in the cell."""
        marked = np.zeros((len(self), N_CELLS), dtype=np.bool_)
        marked[self.marks.row, self.marks.cell] = True
        return marked

    @cached_property
    def cell_scores(self) -> Floats:
        """(n, 25): weighted error fractions of each cell (the inner sum of Equation 2)."""
        marks = self.marks
        return self._summed(marks.cell, N_CELLS, marks.fraction * self.weights[marks.severity])

    @cached_property
    def severity_sums(self) -> Floats:
        """(n, 3): unweighted error fractions summed by severity."""
        return self._summed(self.marks.severity, N_SEVERITIES, self.marks.fraction)

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
            )
        }

    def _summed(self, column: npt.NDArray[np.int8], columns: int, values: Floats) -> Floats:
        place = self.marks.row.astype(np.int64) * columns + column
        flat = np.bincount(place, values, minlength=len(self) * columns)
        return flat.astype(np.float64, copy=False).reshape(len(self), columns)

    @cached_property
    def scores(self) -> Floats:
        """(n,): cumulative scores."""
        return self.annotations["cumulative_score"].to_numpy(dtype=np.float64)


def build_frame(rows: Iterable[RatedAnnotation], weights: Weights) -> RatingsFrame:
    """The frame of these annotations under these weights (keys a, b, c).

    Where a stored cumulative score was made with other weights, it is computed again, exactly.
    Raises ValueError for an unknown component, a missing cumulative score and a repeated
    (image, annotator) pair, naming them.
    """
    return _in_order(build_parts(rows, weights), weights)


def _in_order(parts: FrameParts, weights: Weights) -> RatingsFrame:
    """Sorted: sums then do not depend on the order of the database, not even in the last bit."""
    table = parts.table
    order = np.lexsort((table["annotator"].cat.codes, table["image"]))
    place = np.empty(len(table), dtype=np.int32)
    place[order] = np.arange(len(table), dtype=np.int32)
    row = place[parts.row]
    # Slots within a row too: the same answer gives the same sum whatever the order of its marks.
    by_row = np.lexsort((parts.slot, row))
    slot = parts.slot[by_row]
    marks = Marks(
        row=row[by_row],
        cell=(slot // N_SEVERITIES).astype(np.int8),
        severity=(slot % N_SEVERITIES).astype(np.int8),
        affected=parts.affected[by_row],
        total=parts.total[by_row],
    )
    exact = tuple(Fraction(weights[severity]) for severity in SEVERITIES)
    return RatingsFrame(table.iloc[order].reset_index(drop=True), marks, exact)
