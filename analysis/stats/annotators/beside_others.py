"""How an annotator differs from others on the same images, which depends on who these others are.

In scores, in severities of cells that both marked, and in cells that only one marked.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.agreement.ladder import CHUNK, cell_annotations, ratio
from analysis.stats.bootstrap_intervals import estimated
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages

NO_CELLS: Final = "both marked no cell in common"
NOTHING_FLAGGED: Final = "nothing was flagged"
# Mean step (a 0, b 1, c 2) of each combination of severities in a cell, by its bits.
STEPS: Final = np.array(
    [0.0, *(np.mean([step for step in range(3) if bits >> step & 1]) for bits in range(1, 8))]
)


def beside_others(frame: RatingsFrame, shared: SharedImages) -> tuple[Ints, Floats]:
    """Return annotators (m,) and sums (m, 7) per shared image, sorted by annotator, as input of `beside`.

    Sums over the image's other annotators: 1 (once per image), own score minus the others' mean; cells both
    marked, own severity steps minus theirs there; cells the other marked, cells both marked; cells the
    annotator marked.
    """
    entries = _entries(frame, shared)
    row = np.concatenate([shared.first, shared.second])
    both, step, a, b = entries.T
    other = np.concatenate([shared.second, shared.first])
    values = np.column_stack(
        [
            frame.scores[row] - frame.scores[other],
            np.tile(both, 2),
            np.concatenate([step, -step]),
            np.concatenate([b, a]),
            np.tile(both, 2),
            np.concatenate([a, b]),
        ]
    )
    rows, units, others = np.unique(row, return_inverse=True, return_counts=True)
    sums = [np.bincount(units, column, minlength=len(rows)) for column in values.T]
    found = np.column_stack([np.ones(len(rows)), sums[0] / np.maximum(others, 1), *sums[1:]])
    annotators = frame.codes("annotator")[rows]
    order = np.argsort(annotators, kind="stable")
    return annotators[order], found[order]


def _entries(frame: RatingsFrame, shared: SharedImages) -> Floats:
    """Return (entries, 4): cells both marked, steps of first minus second there, and cells of each."""
    answers = cell_annotations(frame)
    found = np.zeros((len(shared.first), 4))
    for start in range(0, len(found), CHUNK):
        part = slice(start, start + CHUNK)
        a, b = (answers.severities[answers.said[rows]] for rows in (shared.first[part], shared.second[part]))
        both = (a > 0) & (b > 0)
        found[part, 0] = both.sum(axis=1)
        found[part, 1] = np.where(both, STEPS[a] - STEPS[b], 0.0).sum(axis=1)
        found[part, 2], found[part, 3] = (a > 0).sum(axis=1), (b > 0).sum(axis=1)
    return found


def beside(rows: Floats, n_coders: int) -> dict[str, Any]:
    """Return the differences from others; `rows` are one annotator's `beside_others`, one per image.

    `severity_step`: 1 is one severity step higher in every cell that both marked. `found`: share of the
    cells marked by another that this annotator also marked; `alone`: share of own cells that the other did
    not mark.
    """
    reasons = ["", NO_CELLS, NOTHING_FLAGGED, NOTHING_FLAGGED]
    names = ("against_others", "severity_step", "found", "alone")
    found = estimated(
        rows,
        _beside,
        n_coders=n_coders,
        undefined=reasons,
        # Differences are unbounded; shares lie between 0 and 1.
        lowest=np.array([-np.inf, -np.inf, 0, 0]),
        highest=np.array([np.inf, np.inf, 1, 1]),
    )
    return dict(zip(names, found, strict=True))


def _beside(totals: Floats) -> Floats:
    images, difference, both, steps, theirs, met, own = np.moveaxis(totals, -1, 0)
    columns = [ratio(difference, images), ratio(steps, both), ratio(met, theirs), ratio(own - met, own)]
    return np.stack(columns, axis=-1)
