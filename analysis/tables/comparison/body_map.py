"""Where the errors of each generator lie on the body: amounts by body part and cell, and what they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from analysis.stats.generic.tables import rows_of
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES, SEVERITIES

Result = Mapping[str, Any]
Row = Mapping[str, Any]
Kind = Literal["abc", "c", "pins"]
"""What is mapped: weighted errors of all severities, only severe ones, or pins."""

FEWEST: Final = 5
"""A cell or body part marked in fewer annotations, or with fewer pins, has no shade."""
FEWEST_PINS: Final = 30
SHARES: Final = (0.05, 0.1, 0.2, 0.3)
AMOUNTS: Final = (0.02, 0.1, 0.25, 0.5)
# Factors of the amounts, for projects whose scores are much lower or higher.
_FACTORS: Final = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


@dataclass(frozen=True)
class Amount:
    """What was marked in a cell, a body part or altogether.

    `value` is per annotation, or a number of pins; `share` is of the generator's total, 0 without one.
    `marked` are the annotations that mark it, or its pins. `pins` are counts by severity.
    """

    value: float
    share: float
    marked: int
    pins: tuple[int, ...] = (0, 0, 0)

    @property
    def enough(self) -> bool:
        """Return whether enough annotations mark it to shade it."""
        return self.marked >= FEWEST


@dataclass(frozen=True)
class BodyMap:
    """A generator's amounts: by body part, by cell (both in published order), by error type, and in all.

    `most` is the body part with the largest amount and `p` of the test that no other has as much; see
    `analysis.protocols.anatomy.cells`.
    """

    generator: str
    annotations: int
    total: Amount
    parts: Mapping[str, Amount]
    cells: Mapping[str, Amount]
    types: Mapping[str, Amount]
    most: str | None = None
    p: float | None = None

    @property
    def pins(self) -> int:
        """Return the number of pins."""
        return sum(self.total.pins)


def body_maps(result: Result, kind: Kind = "abc") -> list[BodyMap]:
    """Return the map of each generator, the one with the fewest errors first.

    Results of other protocols have shares of images only, which are not divided by severity.
    """
    if not (parts := rows_of(result, "generator_parts")):
        return sorted(_of_shares(result), key=_total) if kind == "abc" else []
    sizes = {row["generator"]: row["annotations"] for row in rows_of(result, "generators")}
    of_cells: dict[str, dict[str, Row]] = {row["generator"]: {} for row in parts}
    of_parts: dict[str, dict[str, Row]] = {row["generator"]: {} for row in parts}
    for row in rows_of(result, "cells"):
        of_cells[row["generator"]][row["cell"]] = row
    for row in parts:
        of_parts[row["generator"]][row["body_part"]] = row
    weights = result["settings"]["weights"]
    every = sorted((_of(name, sizes, of_cells, of_parts, "abc", weights) for name in of_parts), key=_total)
    if kind == "abc":
        return every
    return [_of(generator.generator, sizes, of_cells, of_parts, kind, weights) for generator in every]


def _total(each: BodyMap) -> float:
    return each.total.value


def _of(
    name: str,
    sizes: Mapping[str, int],
    of_cells: Mapping[str, Mapping[str, Row]],
    of_parts: Mapping[str, Mapping[str, Row]],
    kind: Kind,
    weights: Mapping[str, float],
) -> BodyMap:
    n, parts = sizes[name], [of_parts[name][part] for part in BODY_PARTS]
    cells = [of_cells[name].get(cell.key) for cell in CELLS]
    pins = [[row[f"pins_{severity}"] if row else 0 for severity in SEVERITIES] for row in cells]
    if kind == "pins":
        values = [sum(pinned) for pinned in pins]
        of_part = [sum(_of_part(values, part)) for part in range(len(BODY_PARTS))]
        return _map(name, n, values, values, of_part, pins)
    end = "" if kind == "abc" else "_c"
    made = _map(
        name,
        n,
        [_weighted(kind, row, weights) / n if row else 0.0 for row in cells],
        [row[f"marked{end}"] if row else 0 for row in cells],
        [row[f"marked{end}"] for row in parts],
        pins,
    )
    tested = [(part, row[f"p{end}"]) for part, row in zip(BODY_PARTS, parts, strict=True)]
    most, p = next((row for row in tested if row[1] is not None), (None, None))
    return replace(made, most=most, p=p)


def _weighted(kind: Kind, row: Row, weights: Mapping[str, float]) -> float:
    severities = SEVERITIES if kind == "abc" else SEVERITIES[-1:]
    total: float = sum(weights[severity] * row[severity] for severity in severities)
    return total


def _of_part(cells: Sequence[Any], part: int) -> list[Any]:
    """Return the cells of a body part, of 25 in published order."""
    return list(cells[part :: len(BODY_PARTS)])


def _map(
    generator: str,
    annotations: int,
    values: Sequence[float],
    marked: Sequence[int],
    parts: Sequence[int],
    pins: Sequence[Sequence[int]],
) -> BodyMap:
    """Return a map from (25,) values, annotations that mark each cell and pins, and (5,) marked parts."""
    whole, wide = sum(values), len(BODY_PARTS)

    def amount(some: slice, marked_in: int) -> Amount:
        value = sum(values[some])
        pinned = tuple(map(sum, zip(*pins[some], strict=True)))
        return Amount(value, value / whole if whole else 0.0, marked_in, pinned)

    return BodyMap(
        generator,
        annotations,
        total=amount(slice(None), annotations),
        parts={name: amount(slice(i, None, wide), parts[i]) for i, name in enumerate(BODY_PARTS)},
        cells={cell.key: amount(slice(i, i + 1), marked[i]) for i, cell in enumerate(CELLS)},
        types={
            name: amount(slice(i * wide, (i + 1) * wide), annotations) for i, name in enumerate(ERROR_TYPES)
        },
    )


def _of_shares(result: Result) -> list[BodyMap]:
    """Return maps from a result that lists the share of images with an error in each of the 25 cells."""
    tables = {table["name"]: table for table in result.get("tables", ())}
    if not {"components", "generators"} <= tables.keys():
        return []
    rows = {row[1]: row[2:] for row in tables["components"]["rows"]}
    if not {cell.key for cell in CELLS} <= rows.keys():
        return []
    names = [column["title"] for column in tables["components"]["columns"][2:]]
    images = {row[0]: row[2] for row in tables["generators"]["rows"]}
    none = [(0, 0, 0)] * len(CELLS)
    made = []
    for place, name in enumerate(names):
        values = [rows[cell.key][place] for cell in CELLS]
        marked = [round(value * images[name]) for value in values]
        # Cells of one body part may be marked in the same image, so this is a lower limit.
        parts = [max(_of_part(marked, part)) for part in range(len(BODY_PARTS))]
        made.append(_map(name, images[name], values, marked, parts, none))
    return made


def thresholds(maps: Sequence[BodyMap]) -> tuple[float, ...]:
    """Return where the shades of amounts begin: the published study's, or in proportion to the scores.

    The largest body part reaches the darkest shade.
    """
    largest = max((part.value for generator in maps for part in generator.parts.values()), default=0.0)
    fitting = [factor for factor in _FACTORS if factor * AMOUNTS[-1] <= largest]
    factor = max(fitting, default=_FACTORS[0])
    return tuple(factor * amount for amount in AMOUNTS)


def shade(value: float, steps: Sequence[float]) -> int:
    """Return 0 below the first step, 1 from it, and so on."""
    return sum(value >= step for step in steps)


def enough_pins(maps: Sequence[BodyMap]) -> bool:
    """Return whether there are enough pins to map."""
    return sum(generator.pins for generator in maps) >= FEWEST_PINS
