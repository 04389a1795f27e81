"""Agreement of the presence protocol: the generic tables, then by error type and body part, and causes.

People who judge yes or no mostly disagree about two things: which deviations matter, and of which error type
a deviation is (Muhr et al., 2024). *Confused error types* counts the second, *Marked by one annotator only*
the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from analysis.stats.frames import Bools
from analysis.stats.generic.agreement import ALPHA, agreement, shared_rows
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.pairs import SharedImages, shared_images
from analysis.stats.steps import Steps
from scoring.grid.taxonomy import BODY_PART_TITLES, BODY_PARTS, CELLS, ERROR_TYPE_TITLES, ERROR_TYPES

PRESENCE: Final = "presence"
TYPES, PARTS = len(ERROR_TYPES), len(BODY_PARTS)
EITHER: Final = ResultColumn(
    "either", "Either", "count", "cells of an image that at least one of two annotators marked"
)
BOTH: Final = ResultColumn("both", "Both", "count", "of these, cells that both marked")
SHARE: Final = ResultColumn(
    "share", "Both of either", "share", "cells that both marked, of those that either did"
)


def presence_agreement(frame: ValuesFrame, steps: Steps | None = None) -> dict[str, Any]:
    """Return the generic agreement report with presence tables after those of all annotators."""
    result = agreement(frame, steps)
    frame = frame.at_random
    shared = shared_images(frame)
    first, second = (_marked(frame)[rows] for rows in (shared.first, shared.second))
    own = [
        _by_part_of_grid(frame, first, second, "by_error_type", "Error type", ERROR_TYPE_TITLES, axis=0),
        _by_part_of_grid(frame, first, second, "by_body_part", "Body part", BODY_PART_TITLES, axis=1),
        _confusion(first, second),
        _seen_by_one(frame, shared, first, second),
    ]
    return {**result, "tables": [*result["tables"][:2], *own, *result["tables"][2:]]}


def _marked(frame: ValuesFrame) -> Bools:
    """Return (n, 5, 5): whether each annotation marks a cell, by error type and body part as published."""
    return np.asarray(frame.values[PRESENCE] > 0).reshape(-1, TYPES, PARTS)


def _by_part_of_grid(
    frame: ValuesFrame,
    first: Bools,
    second: Bools,
    name: str,
    title: str,
    titles: Mapping[str, str],
    axis: int,
) -> Json:
    """Return alpha over the cells of each row or column and of the grid, and the cells both marked."""
    variable = next(one for one in frame.protocol.variables if one.name == PRESENCE)
    rows, unit = shared_rows(frame, np.arange(len(frame)))
    coders = len(np.unique(frame.codes("annotator")[rows]))
    values = frame.values[PRESENCE][rows].reshape(-1, TYPES, PARTS)
    lines = []
    for place, words in enumerate(titles.values()):
        some = np.take(values, place, axis=axis + 1)
        two = [np.take(marks, place, axis=axis + 1) for marks in (first, second)]
        lines.append([words, alpha_of(some, unit, variable, coders), *_overlap(*two)])
    everything = alpha_of(frame.values[PRESENCE][rows], unit, variable, coders)
    return table(
        name,
        f"By {title.lower()}",
        f"Alpha of “{variable.title.lower()}” over the cells of one {title.lower()}, and how many cells "
        "either and both of two annotators marked.",
        (ResultColumn(name.removeprefix("by_"), title), ALPHA, EITHER, BOTH, SHARE),
        [*lines, ["All", everything, *_overlap(first, second)]],
    )


def _overlap(first: Bools, second: Bools) -> tuple[int, int, float | None]:
    either, both = int((first | second).sum()), int((first & second).sum())
    return either, both, both / either if either else None


def _confusion(first: Bools, second: Bools) -> Json:
    """Return confused pairs of error types, by body part; symmetric, so each pair occurs once."""
    counts = np.zeros((TYPES, TYPES, PARTS), dtype=np.int64)
    for a, b, part in _matched(first & ~second, second & ~first):
        counts[min(a, b), max(a, b), part] += 1
    names, parts = list(ERROR_TYPE_TITLES.values()), list(BODY_PART_TITLES.items())
    found = [
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
        sorted(found, key=lambda row: -int(row[-1])),
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
