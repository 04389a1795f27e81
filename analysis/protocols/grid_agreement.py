"""Agreement on parts of the 25 cells, for protocols that have them: error types, body parts, each cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.stats.frames import AnnotationTable, Bools
from analysis.stats.generic.agreement import ALPHA, shared_rows
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.generic.tables import Json, ResultColumn, figure, table
from analysis.stats.pairs import SharedImages
from scoring.grid.taxonomy import BODY_PART_TITLES, BODY_PARTS, ERROR_TYPE_TITLES, ERROR_TYPES
from scoring.protocol import Variable

TYPES, PARTS = len(ERROR_TYPES), len(BODY_PARTS)
EITHER: Final = ResultColumn(
    "either", "Either", "count", "cells of an image that at least one of two annotators marked"
)
BOTH: Final = ResultColumn("both", "Both", "count", "of these, cells that both marked")
SHARE: Final = ResultColumn(
    "share", "Both of either", "share", "cells that both marked, of those that either did"
)
FIGURES: Final = (
    figure(
        "heat",
        "by_cell",
        "Agreement on each cell",
        slug="cell-alphas",
        label="body_part",
        columns="Error type",
        note="Krippendorff's alpha of whether a cell is marked, over doubly annotated images.",
    ),
)


def on_grid(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return (n, 5, 5) values of (n, 25) cells, by error type and body part as published."""
    return cells.reshape(-1, TYPES, PARTS)


def grid_tables(frame: AnnotationTable, cells: Bools, variable: Variable, shared: SharedImages) -> list[Json]:
    """Return the agreement by error type, by body part and by cell, of (n, 25) cells, marked or not."""
    first, second = (on_grid(cells[rows]) for rows in (shared.first, shared.second))
    rows, unit = shared_rows(frame, np.arange(len(frame)))
    n_annotators = len(np.unique(frame.codes("annotator")[rows]))
    values = on_grid(cells[rows])

    def alpha(some: npt.NDArray[Any]) -> Mapping[str, Any]:
        return alpha_of(some, unit, variable, n_annotators)

    def by(name: str, title: str, titles: Mapping[str, str], axis: int) -> Json:
        lines = []
        for place, words in enumerate(titles.values()):
            own = [side.take(place, axis) for side in (first, second)]
            lines.append([words, alpha(values.take(place, axis)), *_overlap(*own)])
        everything = alpha(values.reshape(len(rows), TYPES * PARTS))
        return table(
            name,
            f"By {title.lower()}",
            f"Alpha of “{variable.title.lower()}” over the cells of one {title.lower()}, and how many cells "
            "either and both of two annotators marked.",
            (ResultColumn(name.removeprefix("by_"), title), ALPHA, EITHER, BOTH, SHARE),
            [*lines, ["All", everything, *_overlap(first, second)]],
        )

    return [
        by("by_error_type", "Error type", ERROR_TYPE_TITLES, 1),
        by("by_body_part", "Body part", BODY_PART_TITLES, 2),
        table(
            "by_cell",
            "By cell",
            f"Alpha of “{variable.title.lower()}” of each cell. Where a cell is rarely marked, one mark more "
            "or less changes alpha a lot.",
            (
                ResultColumn("body_part", "Body part"),
                *(ResultColumn(slug, title, "estimate") for slug, title in ERROR_TYPE_TITLES.items()),
            ),
            [
                [words, *(alpha(values[:, kind, part, None]) for kind in range(TYPES))]
                for part, words in enumerate(BODY_PART_TITLES.values())
            ],
        ),
    ]


def _overlap(first: Bools, second: Bools) -> tuple[int, int, float | None]:
    either, both = int((first | second).sum()), int((first & second).sum())
    return either, both, both / either if either else None
