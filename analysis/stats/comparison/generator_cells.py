"""Where the errors of each generator lie: sums over the 25 cells by severity, for the body map.

Over annotations, as in the published study, so that the parts of a generator add up to its published mean.
Whether the body part with the most errors has more than every other one is tested over images, paired, by
the two-sided t test of the smallest difference: S. Gutmann, Z. Maymin, "Is the selected population the
best?", Annals of Statistics 15 (1987) 456-461, show that this keeps the level although the data chose it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.comparison.welch import t_test
from analysis.stats.frames import N_CELLS, N_SEVERITIES, Bools, Floats, Ints, RatingsFrame
from analysis.stats.images import ImageTable
from analysis.stats.means import SAME
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES

LISTED: Final = 60
"""Generators with cells: those with the most annotations."""
WORST: Final = SEVERITIES.index("c")
PAIRED: Final = "paired t"


def generator_cells(table: ImageTable) -> dict[str, Any]:
    """Return the cells of each generator, by name, and how many generators are left out.

    All lists are in published order. `sums` (25 of 3) are unweighted error fractions by severity. `marked`
    (25 of 2) are the annotations that mark the cell, with any severity and with c; `marked_parts` (5 of 2)
    those that mark any cell of a body part. `pins` (25 of 3) are counts by severity. `most` names, for all
    severities and for c, the body part with the largest mean, None without errors, and `p` of the test that
    no other has as much, None if it cannot be tested.
    """
    frame = table.frame
    labels, codes = frame.labels("generator"), frame.codes("generator")
    n = np.bincount(codes, minlength=len(labels))
    listed = np.sort(np.argsort(-n, kind="stable")[:LISTED]).tolist()
    sums, pins = _by_slot(frame, codes, frame.marks.fraction), _by_slot(frame, codes, frame.marks.pins)
    any_, worst = frame.cells, _marked_worst(frame)
    by_cell = _pairs(any_, worst, codes, len(labels))
    by_part = _pairs(_parts_of(any_), _parts_of(worst), codes, len(labels))
    image_codes = table.codes("generator")
    return {
        "generators": [
            {
                "generator": labels[i],
                "annotations": int(n[i]),
                "sums": sums[i].tolist(),
                "marked": by_cell[i].tolist(),
                "marked_parts": by_part[i].tolist(),
                "pins": pins[i].astype(np.int64).tolist(),
                "most": [
                    _most(sums[i] @ weights, table.parts[image_codes == i] @ weights)
                    for weights in (frame.weights, frame.weights * (np.arange(N_SEVERITIES) == WORST))
                ],
            }
            for i in listed
        ],
        "generators_left_out": len(labels) - len(listed),
    }


def _by_slot(frame: RatingsFrame, codes: Ints, values: Any) -> Floats:
    """Return (generators, 25, 3): (m,) values of marks summed by cell and severity."""
    marks, slots = frame.marks, N_CELLS * N_SEVERITIES
    groups = len(frame.labels("generator"))
    place = codes[marks.row] * slots + marks.cell.astype(np.int64) * N_SEVERITIES + marks.severity
    flat = np.bincount(place, values, minlength=groups * slots).astype(np.float64, copy=False)
    return flat.reshape(groups, N_CELLS, N_SEVERITIES)


def _marked_worst(frame: RatingsFrame) -> Bools:
    """Return (n, 25): whether the annotator marked an error of severity c in the cell."""
    marked = np.zeros((len(frame), N_CELLS), dtype=np.bool_)
    worst = frame.marks.severity == WORST
    marked[frame.marks.row[worst], frame.marks.cell[worst]] = True
    return marked


def _parts_of(cells: Bools) -> Bools:
    """Return (n, 5): whether any cell of a body part is set, of (n, 25) cells."""
    return np.asarray(cells.reshape(-1, len(ERROR_TYPES), len(BODY_PARTS)).any(axis=1))


def _pairs(any_: Bools, worst: Bools, codes: Ints, groups: int) -> Ints:
    """Return (groups, columns, 2): annotations of each group that set a column, of (n, columns) each."""
    counts = np.zeros((groups, any_.shape[1], 2), dtype=np.int64)
    for kind, marked in enumerate((any_, worst)):
        for column in range(any_.shape[1]):
            counts[:, column, kind] = np.bincount(codes[marked[:, column]], minlength=groups)
    return counts


def _most(weighted: Floats, images: Floats) -> dict[str, Any]:
    """Return the body part with the largest of (25,) weighted sums, tested on (m, 5) scores of images."""
    parts = weighted.reshape(len(ERROR_TYPES), len(BODY_PARTS)).sum(axis=0)
    if parts.max(initial=0) <= SAME:
        return {"part": None, "p": None}
    most = int(parts.argmax())
    gaps = images[:, [most]] - np.delete(images, most, axis=1)
    tests = [_p(gap) for gap in gaps.T]
    return {"part": BODY_PARTS[most], "p": None if None in tests else max(tests)}  # type: ignore[type-var]


def _p(gaps: Floats) -> float | None:
    """Return the two-sided p of the paired t test of (m,) differences, 1 if the mean is not above 0."""
    if len(gaps) < 2 or np.ptp(gaps) <= SAME:
        return None
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1)) / len(gaps) ** 0.5
    if mean <= 0:
        return 1.0
    return float(t_test(mean, error, len(gaps) - 1, n_units=len(gaps), method=PAIRED)["p"])
