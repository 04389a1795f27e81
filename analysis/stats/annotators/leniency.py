"""How high an annotator scores and which severities they choose, by themselves and beside the others.

The level by itself depends on the images that the annotator was given. What does not are the differences to
whoever judged the same images: of the scores, of the severities in cells that both flagged, and of the cells
that one flagged and the other did not.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.agreement.ladder import CHUNK, cell_answers, ratio
from analysis.stats.frames import N_SEVERITIES, Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages
from analysis.stats.resampling import estimated
from scoring.grid.taxonomy import SEVERITIES

NO_MARKS: Final = "no marks"
NO_CELLS: Final = "no cell was flagged by both"
NOTHING_FLAGGED: Final = "nothing was flagged"
# Mean step (a 0, b 1, c 2) of each combination of severities in a cell, by the bits of `cell_answers`.
STEPS: Final = np.array(
    [0.0, *(np.mean([step for step in range(3) if bits >> step & 1]) for bits in range(1, 8))]
)


def levels(frame: RatingsFrame) -> Floats:
    """(n, 6) per annotation: 1, score, marks, and marks by severity: what `level` sums."""
    marks = frame.marks
    place = marks.row.astype(np.int64) * N_SEVERITIES + marks.severity
    by_severity = np.bincount(place, minlength=len(frame) * N_SEVERITIES).reshape(len(frame), N_SEVERITIES)
    return np.column_stack([np.ones(len(frame)), frame.scores, by_severity.sum(axis=1), by_severity])


def level(rows: Floats) -> dict[str, Any]:
    """Mean score, marks an image and the shares of the severities; `rows` are one annotator's `levels`."""
    reasons = [NO_MARKS] * (2 + N_SEVERITIES)
    highest = np.array([np.inf, np.inf] + [1.0] * N_SEVERITIES)
    mean, marks, *mix = estimated(rows, _level, n_coders=1, undefined=reasons, lowest=0.0, highest=highest)
    return {"level": mean, "marks": marks, "severity_mix": dict(zip(SEVERITIES, mix, strict=True))}


def _level(totals: Floats) -> Floats:
    n, marks = totals[..., :1], totals[..., 2:3]
    return np.concatenate([totals[..., 1:3] / n, ratio(totals[..., 3:], marks)], axis=-1)


def beside_others(frame: RatingsFrame, shared: SharedImages) -> tuple[Ints, Floats]:
    """Annotators (m,) and sums (m, 7) per image that they share, sorted by annotator: what `beside` sums.

    Sums over the others of the image: 1 (once an image), own score minus the others' mean; cells that both
    flagged, own severity steps minus theirs there; cells that the other flagged, that both did; cells that
    the annotator flagged.
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
    """(entries, 4): cells both flagged, steps of the first minus the second there, cells of either one."""
    answers = cell_answers(frame)
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
    """The differences to others; `rows` are one annotator's `beside_others`, one an image.

    `severity_step`: 1 is a step of severity higher in every cell that both flagged. `found`: share of the
    cells flagged by another that this annotator flagged too; `alone`: share of the own cells that the
    other did not flag.
    """
    reasons = ["", NO_CELLS, NOTHING_FLAGGED, NOTHING_FLAGGED]
    names = ("against_others", "severity_step", "found", "alone")
    found = estimated(
        rows,
        _beside,
        n_coders=n_coders,
        undefined=reasons,
        # Differences have no ends; shares lie between none and all.
        lowest=np.array([-np.inf, -np.inf, 0, 0]),
        highest=np.array([np.inf, np.inf, 1, 1]),
    )
    return dict(zip(names, found, strict=True))


def _beside(totals: Floats) -> Floats:
    images, difference, both, steps, theirs, met, own = np.moveaxis(totals, -1, 0)
    columns = [ratio(difference, images), ratio(steps, both), ratio(met, theirs), ratio(own - met, own)]
    return np.stack(columns, axis=-1)
