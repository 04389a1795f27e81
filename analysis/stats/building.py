"""Convert exact annotations to columns: each row is read once and stored in a few bytes."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain, count, islice
from operator import itemgetter
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.grid.severity_weights import Weights
from scoring.grid.taxonomy import CELLS, SEVERITIES

TEXT_COLUMNS: Final = ("annotator", "generator", "prompt", "prompt_group", "batch")
WHOLE_COLUMNS: Final = ("image", "number", "annotation")

_SLOTS: Final = {
    (cell.error_type, cell.body_part, severity): index * len(SEVERITIES) + place
    for index, cell in enumerate(CELLS)
    for place, severity in enumerate(SEVERITIES)
}
_PLACE_OF_MARK: Final = itemgetter("type", "part", "severity")
_CHUNK: Final = 200
# Scores are at most a few hundred and fractions at least 1/99, so different weights give larger differences
# than this.
_SAME_SCORE: Final = 1e-9

Rating = tuple[str, str, str | Fraction] | Sequence[str]


class RatedAnnotation(NamedTuple):
    """One submitted annotation from the database.

    `ratings` are (variable, component, value) with exact values, `"67/60"` or a Fraction; of anatomy only the
    `cumulative_score`, beside `marks`, those of the payload (type, part, severity, affected, total, pins).
    `number` is the image's number within generator and prompt, or 0; `annotation` is the annotation id.
    """

    image: int
    annotator: str
    generator: str
    prompt: str
    prompt_group: str
    batch: str
    ratings: Iterable[Rating]
    number: int = 0
    annotation: int = 0
    marks: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class FrameParts:
    """The table in reading order and its marks, (m,) each; `slot` is cell x 3 + severity, `pins` a count."""

    table: pd.DataFrame
    row: npt.NDArray[np.int32]
    slot: npt.NDArray[np.int8]
    affected: npt.NDArray[np.int32]
    total: npt.NDArray[np.int32]
    pins: npt.NDArray[np.uint8]


def build_parts(rows: Iterable[RatedAnnotation], weights: Weights) -> FrameParts:
    """Return table and marks of these annotations; raise ValueError as `frames.build_frame` does."""
    collected = _Collected()
    for chunk in chunks_of(rows):
        collected.add(chunk)
    parts = collected.parts()
    _rescore(parts, weights)
    return parts


def chunks_of(rows: Iterable[RatedAnnotation]) -> Iterator[list[RatedAnnotation]]:
    """Yield the rows in lists that stay in the processor's cache while they become columns."""
    remaining = iter(rows)
    while chunk := list(islice(remaining, _CHUNK)):
        yield chunk


class DescribedRows:
    """Descriptive columns of annotations, filled from lists of rows; texts as numbers."""

    def __init__(self) -> None:
        # A new text gets the next number.
        self._texts = {name: defaultdict[str, int](count().__next__) for name in TEXT_COLUMNS}
        self._codes = {name: array("i") for name in TEXT_COLUMNS}
        self._whole = {name: array("q") for name in WHOLE_COLUMNS}

    def describe(self, rows: Sequence[RatedAnnotation]) -> None:
        """Add the `WHOLE_COLUMNS` and the `TEXT_COLUMNS` of these rows."""
        image, *texts, _, number, annotation, _ = zip(*rows, strict=True)
        for name, values in zip(WHOLE_COLUMNS, (image, number, annotation), strict=True):
            self._whole[name].extend(values)
        for name, values in zip(TEXT_COLUMNS, texts, strict=True):
            self._codes[name].extend(map(self._texts[name].__getitem__, values))

    def table(self) -> pd.DataFrame:
        """Return the rows, texts as categories; raise ValueError for a repeated image and annotator."""
        table = pd.DataFrame(
            {name: np.frombuffer(column, dtype=np.int64) for name, column in self._whole.items()}
        )
        for name in TEXT_COLUMNS:
            table[name] = _categories(self._texts[name], np.frombuffer(self._codes[name], dtype=np.int32))
        _refuse_repeats(table)
        return table


class _Collected(DescribedRows):
    """Annotations of the anatomy protocol with scores and marks."""

    def __init__(self) -> None:
        super().__init__()
        self._scores = array("d")
        self._row, self._slot = array("i"), array("b")
        self._affected, self._total = array("i"), array("i")
        # A mark has at most as many pins as affected parts, 99.
        self._pins = array("B")

    def add(self, rows: Sequence[RatedAnnotation]) -> None:
        self.describe(rows)
        begun = len(self._scores)
        for row in rows:
            score = None
            for variable, _, value in row.ratings:
                if variable == "cumulative_score":
                    score = value
            if score is None:
                raise ValueError(f"image {row.image} by {row.annotator} has no cumulative score")
            top, bottom = counted(score)
            self._scores.append(top / bottom)
        marks = [row.marks for row in rows]
        places = np.arange(begun, len(self._scores), dtype=np.int32)
        self._row.frombytes(np.repeat(places, [len(row) for row in marks]).tobytes())
        self._add_marks(list(chain.from_iterable(marks)))

    def _add_marks(self, marks: Sequence[Mapping[str, Any]]) -> None:
        try:
            self._slot.extend(map(_SLOTS.__getitem__, map(_PLACE_OF_MARK, marks)))
        except KeyError as error:
            raise ValueError(f"{error.args[0]!r} is no cell and severity") from None
        self._affected.extend(map(itemgetter("affected"), marks))
        self._total.extend(map(itemgetter("total"), marks))
        self._pins.extend([len(mark.get("pins", ())) for mark in marks])

    def parts(self) -> FrameParts:
        table = self.table()
        table["cumulative_score"] = np.frombuffer(self._scores, dtype=np.float64)
        return FrameParts(
            table,
            np.frombuffer(self._row, dtype=np.int32),
            np.frombuffer(self._slot, dtype=np.int8),
            np.frombuffer(self._affected, dtype=np.int32),
            np.frombuffer(self._total, dtype=np.int32),
            np.frombuffer(self._pins, dtype=np.uint8),
        )


def _categories(texts: dict[str, int], codes: npt.NDArray[np.int32]) -> Any:
    """Return a text column as sorted categories, because grouping by codes is fast."""
    ordered = sorted(texts)
    place = np.empty(len(texts), dtype=np.int32)
    place[[texts[text] for text in ordered]] = np.arange(len(texts), dtype=np.int32)
    return pd.Categorical.from_codes(place[codes], categories=pd.Index(ordered, dtype=object))


@lru_cache(maxsize=65_536)
def counted(value: str | Fraction) -> tuple[int, int]:
    """Return numerator and denominator, cached because a study has few distinct fractions.

    Python's division of whole numbers gives the float nearest to the fraction.
    """
    return Fraction(value).as_integer_ratio()


def _refuse_repeats(table: pd.DataFrame) -> None:
    repeated = table[table.duplicated(["image", "annotator"])]
    if len(repeated):
        first = repeated.iloc[0]
        raise ValueError(f"image {first['image']} by {first['annotator']} occurs twice")


def _rescore(parts: FrameParts, weights: Weights) -> None:
    """Replace scores that do not match fractions and weights by the exact sum."""
    exact = [weights[severity] for severity in SEVERITIES]
    weighed = np.array([float(weight) for weight in exact])[parts.slot % len(exact)]
    near = np.bincount(parts.row, weighed * (parts.affected / parts.total), minlength=len(parts.table))
    stored = parts.table["cumulative_score"].to_numpy()
    stale = np.abs(near - stored) > _SAME_SCORE
    if not stale.any():
        return
    sums: dict[int, Fraction] = defaultdict(Fraction)
    of_stale = np.flatnonzero(stale[parts.row])
    for row, slot, affected, total in zip(
        *(column[of_stale].tolist() for column in (parts.row, parts.slot, parts.affected, parts.total)),
        strict=True,
    ):
        sums[row] += Fraction(affected, total) * exact[slot % len(exact)]
    rows = np.flatnonzero(stale)
    parts.table.loc[rows, "cumulative_score"] = [float(sums[row]) for row in rows.tolist()]
