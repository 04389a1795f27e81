"""Agreement of the presence protocol: the variables, then by error type and body part, and causes.

People who judge yes or no mostly disagree about two things: which deviations matter, and of which error type
a deviation is (Muhr et al., 2024). *Confused error types* counts the second, *Marked by one annotator only*
the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from analysis.protocols.grid_agreement import FIGURES, PARTS, TYPES, grid_tables, on_grid
from analysis.stats.frames import Bools
from analysis.stats.generic.agreement import agreement_of_values
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.pairs import SharedImages
from scoring.grid.taxonomy import BODY_PART_TITLES, CELLS, ERROR_TYPE_TITLES

PRESENCE: Final = "presence"


def _own(frame: ValuesFrame, shared: SharedImages) -> list[Json]:
    cells = np.asarray(frame.values[PRESENCE] > 0)
    variable = next(
        own_variable for own_variable in frame.protocol.variables if own_variable.name == PRESENCE
    )
    first, second = (on_grid(cells)[rows] for rows in (shared.first, shared.second))
    return [
        *grid_tables(frame, cells, variable, shared),
        _confusion(first, second),
        _seen_by_one(frame, shared, first, second),
    ]


presence_agreement: Final = replace(agreement_of_values, own=_own, figures=FIGURES)
"""The agreement of the variables, with tables of the grid and of cells marked by one."""


def _confusion(first: Bools, second: Bools) -> Json:
    """Return confused pairs of error types, by body part; symmetric, so each pair occurs once."""
    counts = np.zeros((TYPES, TYPES, PARTS), dtype=np.int64)
    for a, b, part in _matched(first & ~second, second & ~first):
        counts[min(a, b), max(a, b), part] += 1
    names, parts = list(ERROR_TYPE_TITLES.values()), list(BODY_PART_TITLES.items())
    rows = [
        [names[a], names[b], *counts[a, b].tolist(), int(counts[a, b].sum())]
        for a in range(TYPES)
        for b in range(a + 1, TYPES)
    ]
    return table(
        "type_confusion",
        "Confused error types",
        "At the same body part of an image, one annotator marked only the first type and the other only the "
        "second. Each marked cell is matched once, in the published order.",
        (
            ResultColumn("type", "One says"),
            ResultColumn("other_type", "The other says"),
            *(ResultColumn(f"part {slug}", words, "count") for slug, words in parts),
            ResultColumn("total", "Total", "count"),
        ),
        sorted(rows, key=lambda row: -int(row[-1])),
    )


def _matched(only_first: Bools, only_second: Bools) -> Iterator[tuple[int, int, int]]:
    """Yield (type of one, type of the other, part) for cells that only one of two annotators marked.

    Both arrays are (m, 5, 5); matched cells are cleared in place.
    """
    either = np.asarray(only_first.any(axis=1) & only_second.any(axis=1))
    for entry, part in np.argwhere(either).tolist():
        one, other = only_first[entry, :, part], only_second[entry, :, part]
        for a, b in zip(one.nonzero()[0].tolist(), other.nonzero()[0].tolist(), strict=False):
            one[a] = other[b] = False
            yield a, b, part


def _seen_by_one(frame: ValuesFrame, shared: SharedImages, first: Bools, second: Bools) -> Json:
    """Return how many cells of each kind only one annotator marked, without confused types."""
    only = [first & ~second, second & ~first]
    for _ in _matched(*only):
        pass
    codes, labels = frame.codes("annotator"), frame.labels("annotator")
    counts = np.zeros((len(labels), len(CELLS)), dtype=np.int64)
    for marks, rows in zip(only, (shared.first, shared.second), strict=True):
        np.add.at(counts, codes[rows], marks.reshape(-1, len(CELLS)))
    marked = np.argwhere(counts).tolist()
    return table(
        "seen_by_one",
        "Marked by one annotator only",
        "Cells that only one of two annotators marked, without confused types. With several other "
        "annotators, a cell counts once for each of them.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("error_type", "Error type"),
            ResultColumn("body_part", "Body part"),
            ResultColumn("count", "Times", "count"),
        ),
        (
            [
                labels[person],
                ERROR_TYPE_TITLES[CELLS[cell].error_type],
                BODY_PART_TITLES[CELLS[cell].body_part],
                int(counts[person, cell]),
            ]
            for person, cell in sorted(marked, key=lambda place: -int(counts[*place]))
        ),
    )
