"""Annotations of any protocol as columns of numbers, one per variable."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from analysis.stats.building import DescribedRows, RatedAnnotation, chunks_of, counted
from analysis.stats.frames import AnnotationTable, Bools, Floats
from scoring.protocol import INVALID_FROM, Protocol, Variable


@dataclass(frozen=True)
class ValuesFrame(AnnotationTable):
    """Annotations of a protocol; `values` are (n, c) numbers by variable, c its components or 1.

    An optional variable is NaN where an annotation lacks it. `invalid_from` is the project's number of people
    who must say that an image cannot be judged.
    """

    protocol: Protocol
    values: Mapping[str, Floats]
    invalid_from: int = INVALID_FROM

    @cached_property
    def headline(self) -> Floats:
        """Return (n,): the headline's values."""
        return self.values[self.protocol.headline.name][:, 0]

    @cached_property
    def with_headline(self) -> ValuesFrame:
        """Return the annotations that have a headline, which all have unless it is optional."""
        missing = np.isnan(self.headline)
        return self.only(~missing) if missing.any() else self

    def _only(self, rows: Bools) -> dict[str, Any]:
        return {"values": {name: column[rows] for name, column in self.values.items()}}

    @property
    def componentwise(self) -> tuple[Variable, ...]:
        """Return the variables with several components."""
        return tuple(variable for variable in self.protocol.variables if variable.components)


ABSENT: Final = np.nan


def build_values(rows: Iterable[RatedAnnotation], protocol: Protocol) -> ValuesFrame:
    """Return the frame of these annotations, from their ratings without marks.

    Raise ValueError, naming image and annotator, for an unknown variable or component, for a missing value of
    a variable that is not optional, and for a repeated pair.
    """
    described, filled = DescribedRows(), _Filled(protocol)
    for chunk in chunks_of(rows):
        described.describe(chunk)
        for row in chunk:
            try:
                filled.add(row.ratings)
            except ValueError as error:
                raise ValueError(f"image {row.image} by {row.annotator}: {error}") from None
    table = described.table()
    order = np.lexsort((table["annotator"].cat.codes, table["image"]))
    values = {name: column[order] for name, column in filled.columns().items()}
    return ValuesFrame(table.iloc[order].reset_index(drop=True), protocol, values)


def values_of(ratings: Iterable[Sequence[Any]], protocol: Protocol) -> dict[str, Floats]:
    """Return (c,) values by variable of one annotation's ratings; raise ValueError as `build_values` does."""
    filled = _Filled(protocol)
    filled.add(ratings)
    return {name: column[0] for name, column in filled.columns().items()}


class _Filled:
    """The values of every variable, row by row."""

    def __init__(self, protocol: Protocol) -> None:
        self._variables = {variable.name: variable for variable in protocol.variables}
        self._places = {
            (variable.name, component): place
            for variable in protocol.variables
            for place, component in enumerate(variable.components or ("",))
        }
        self._columns = {name: array("d") for name in self._variables}
        self._untouched = {
            name: array("d", [0.0] * len(variable.components) or [ABSENT])
            for name, variable in self._variables.items()
        }

    def add(self, ratings: Iterable[Sequence[Any]]) -> None:
        starts = {name: len(column) for name, column in self._columns.items()}
        for name, column in self._columns.items():
            column.extend(self._untouched[name])
        for name, component, value in ratings:
            place = self._places.get((name, component))
            if place is None:
                raise ValueError(f"the protocol has no variable {name!r} of {component!r}")
            top, bottom = counted(value)
            self._columns[name][starts[name] + place] = top / bottom
        for name, variable in self._variables.items():
            if variable.components or variable.optional:
                continue
            if np.isnan(self._columns[name][-1]):
                raise ValueError(f"no value of {name!r}")

    def columns(self) -> dict[str, Floats]:
        return {
            name: np.frombuffer(column, dtype=np.float64).reshape(-1, _width(self._variables[name]))
            for name, column in self._columns.items()
        }


def _width(variable: Variable) -> int:
    return max(len(variable.components), 1)
