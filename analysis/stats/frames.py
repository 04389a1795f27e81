"""The table that every statistic reads: one row per annotation, numbers as floats from here on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.anatomy.taxonomy import CELLS, SEVERITIES

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

TEXT_COLUMNS: Final = ("annotator", "generator", "prompt", "prompt_group", "batch")

_SLOTS: Final = {
    f"{cell.key}.{severity}": index * len(SEVERITIES) + place
    for index, cell in enumerate(CELLS)
    for place, severity in enumerate(SEVERITIES)
}
# Scores are at most a few hundred and fractions at least 1/99, so other weights differ by far more.
_SAME_SCORE: Final = 1e-9


class RatedAnnotation(NamedTuple):
    """One submitted annotation as the database holds it.

    `ratings` are (variable, component, value) with exact values, `"67/60"` or a Fraction: one
    `cumulative_score` and one `error_fraction` per mark, its component such as `missing.limbs.c`.
    `number` is the image's number within generator and prompt, 0 where it has none.
    """

    image: int
    annotator: str
    generator: str
    prompt: str
    prompt_group: str
    batch: str
    ratings: Iterable[tuple[str, str, str | Fraction]] | Iterable[list[str]]
    number: int = 0


@dataclass(frozen=True)
class RatingsFrame:
    """Annotations of one project under one set of weights; an (image, annotator) pair occurs once.

    `annotations` has n rows, sorted by image and annotator, and the columns image (int), annotator,
    generator, prompt, prompt_group, batch (categories in sorted order), number (int) and
    cumulative_score (float of the exact fraction, so that equal scores are equal floats).
    `fractions` is (n, 25, 3): unweighted error fractions, cells in published order, severities a, b, c.
    `weights` is (3,).
    """

    annotations: pd.DataFrame
    fractions: Floats
    weights: Floats

    def __len__(self) -> int:
        return len(self.annotations)

    @cached_property
    def cells(self) -> Bools:
        """(n, 25): whether the annotator marked any error in the cell."""
        return np.asarray((self.fractions > 0).any(axis=2))

    @cached_property
    def cell_scores(self) -> Floats:
        """(n, 25): weighted error fractions of each cell (the inner sum of Equation 2)."""
        return np.asarray(self.fractions @ self.weights)

    @cached_property
    def scores(self) -> Floats:
        """(n,): cumulative scores."""
        return self.annotations["cumulative_score"].to_numpy(dtype=np.float64)

    @cached_property
    def image_codes(self) -> Ints:
        """(n,): images as 0, 1, … in the order of their numbers."""
        return np.unique(self.annotations["image"].to_numpy(), return_inverse=True)[1].astype(np.int64)

    def labels(self, column: str) -> list[str]:
        """The sorted distinct texts of a column; `codes` index into them."""
        return [str(label) for label in self.annotations[column].cat.categories]

    def codes(self, column: str) -> Ints:
        """(n,): a text column as indices into `labels`."""
        return self.annotations[column].cat.codes.to_numpy().astype(np.int64)


def build_frame(rows: Iterable[RatedAnnotation], weights: Mapping[str, Fraction]) -> RatingsFrame:
    """The frame of these annotations under these weights (keys a, b, c).

    Where a stored cumulative score was made with other weights, it is computed again, exactly.
    Raises ValueError for an unknown component, a missing cumulative score and a repeated
    (image, annotator) pair, naming them.
    """
    collected = _Collected()
    for row in rows:
        collected.add(row)
    table, fractions = collected.table(), collected.fractions()
    _refuse_repeats(table)
    exact = [weights[severity] for severity in SEVERITIES]
    plain = np.array([float(weight) for weight in exact])
    _rescore(table, (fractions @ plain).sum(axis=1), collected, exact)
    # Sums then do not depend on the order in which the database gave the rows, not even in the last bit.
    order = np.lexsort((table["annotator"].cat.codes, table["image"]))
    return RatingsFrame(table.iloc[order].reset_index(drop=True), fractions[order], plain)


class _Collected:
    """Columns being filled row by row."""

    def __init__(self) -> None:
        self.columns: dict[str, list[object]] = {name: [] for name in ("image", *TEXT_COLUMNS, "number")}
        self.scores: list[float] = []
        self.rows: list[int] = []
        self.slots: list[int] = []
        self.values: list[str | Fraction] = []

    def add(self, row: RatedAnnotation) -> None:
        position = len(self.scores)
        for name, values in self.columns.items():
            values.append(getattr(row, name))
        score: str | Fraction | None = None
        for variable, component, value in row.ratings:
            if variable == "cumulative_score":
                score = value
            elif variable == "error_fraction":
                self._add_mark(position, component, value)
        if score is None:
            raise ValueError(f"image {row.image} by {row.annotator} has no cumulative score")
        self.scores.append(_as_float(score))

    def _add_mark(self, position: int, component: str | Fraction, value: str | Fraction) -> None:
        slot = _SLOTS.get(str(component))
        if slot is None:
            raise ValueError(f"{component!r} is no cell and severity")
        self.rows.append(position)
        self.slots.append(slot)
        self.values.append(value)

    def table(self) -> pd.DataFrame:
        """Text columns as categories: grouping by codes is what makes large reports fast."""
        table = pd.DataFrame(self.columns)
        for name in TEXT_COLUMNS:
            table[name] = pd.Categorical([str(value) for value in self.columns[name]])
        for name in ("image", "number"):
            table[name] = table[name].astype(np.int64)
        table["cumulative_score"] = np.array(self.scores, dtype=np.float64)
        return table

    def fractions(self) -> Floats:
        flat = np.zeros((len(self.scores), len(_SLOTS)))
        values = np.array([_as_float(value) for value in self.values], dtype=np.float64)
        np.add.at(flat, (np.array(self.rows, dtype=np.int64), np.array(self.slots, dtype=np.int64)), values)
        return flat.reshape(len(self.scores), len(CELLS), len(SEVERITIES))


@lru_cache(maxsize=65_536)
def _as_float(value: str | Fraction) -> float:
    """The nearest float of an exact fraction; a study has few distinct fractions, hence the cache."""
    return float(Fraction(value))


def _refuse_repeats(table: pd.DataFrame) -> None:
    repeated = table[table.duplicated(["image", "annotator"])]
    if len(repeated):
        first = repeated.iloc[0]
        raise ValueError(f"image {first['image']} by {first['annotator']} occurs twice")


def _rescore(table: pd.DataFrame, near: Floats, collected: _Collected, weights: list[Fraction]) -> None:
    """Replace the scores that are not `near` what fractions and weights make, by the exact sum."""
    stale = np.flatnonzero(np.abs(near - table["cumulative_score"].to_numpy()) > _SAME_SCORE)
    if not len(stale):
        return
    sums = dict.fromkeys(stale.tolist(), Fraction(0))
    for row, slot, value in zip(collected.rows, collected.slots, collected.values, strict=True):
        if row in sums:
            sums[row] += Fraction(value) * weights[slot % len(weights)]
    table.loc[stale, "cumulative_score"] = [float(total) for total in sums.values()]
