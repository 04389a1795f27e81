"""Where the errors of each generator lie: the 25 cells by severity, and the body parts, for the body map.

Whether the body part with the most errors has more than every other one is tested over images, paired, by
the two-sided t test of the smallest difference: S. Gutmann, Z. Maymin, "Is the selected population the
best?", Annals of Statistics 15 (1987) 456-461, show that this keeps the level although the data chose it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.comparison.welch import t_test
from analysis.stats.frames import N_CELLS, N_SEVERITIES, AnnotationTable, Bools, Floats, Ints, RatingsFrame
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.means import SAME
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES, SEVERITIES

LISTED: Final = 40
"""Generators with cells: those with the most annotations."""
WORST: Final = SEVERITIES.index("c")
PAIRED: Final = "paired t"
GENERATOR: Final = ResultColumn("generator", "Generator")
MARKED: Final = (
    ResultColumn("marked", "Marked", "count", "annotations that mark it"),
    ResultColumn("marked_c", "Marked with c", "count", "annotations that mark it with severity c"),
)


def cells_table(frame: RatingsFrame) -> Json:
    """Return each generator's cells that are marked: error fractions, annotations and pins by severity."""
    codes, labels = frame.codes("generator"), frame.labels("generator")
    sums, pins = (_by_slot(frame, values) for values in (frame.marks.fraction, frame.marks.pins))
    marked, worst = (_counts(frame, cells) for cells in (frame.cells, _marked_worst(frame)))
    listed = _listed(codes, len(labels))
    left_out = len(labels) - len(listed)
    return table(
        "cells",
        "Where the errors are",
        "Over annotations, as in the published study: unweighted error fractions of each cell, summed; cells "
        "that nobody marked are left out."
        + (f" {left_out:,} generators with fewer annotations are not listed." if left_out else ""),
        (
            GENERATOR,
            ResultColumn("cell", "Cell"),
            *(ResultColumn(name, f"Severity {name}", "number") for name in SEVERITIES),
            *MARKED,
            *(ResultColumn(f"pins_{name}", f"Pins of {name}", "count") for name in SEVERITIES),
        ),
        (
            [
                labels[code],
                cell.key,
                *sums[code, place].tolist(),
                int(marked[code, place]),
                int(worst[code, place]),
                *pins[code, place].astype(np.int64).tolist(),
            ]
            for code in listed
            for place, cell in enumerate(CELLS)
            if marked[code, place]
        ),
    )


def generator_parts_table(frame: RatingsFrame, own: Ints, parts: Floats) -> Json:
    """Return each generator's body parts: annotations that mark them, and whether one exceeds all others.

    `own` are the (m,) generators of the images, `parts` their error fractions; see `fractions_by`.
    """
    codes, labels = frame.codes("generator"), frame.labels("generator")
    cells = (frame.cells, _marked_worst(frame))
    marked, worst = (_counts(frame, _parts_of(cell)) for cell in cells)
    weights = frame.weights, frame.weights * (np.arange(N_SEVERITIES) == WORST)
    rows: list[list[Any]] = []
    for code in _listed(codes, len(labels)):
        tests = [_most(parts[own == code] @ weight) for weight in weights]
        rows += [
            [
                labels[code],
                part,
                int(marked[code, place]),
                int(worst[code, place]),
                *(p if most == place else None for most, p in tests),
            ]
            for place, part in enumerate(BODY_PARTS)
        ]
    return table(
        "generator_parts",
        "Body parts by generator",
        "Over annotations. The body part with the largest mean score of images is compared with every other "
        "one by paired t tests over images; p is that of the smallest difference.",
        (
            GENERATOR,
            ResultColumn("body_part", "Body part"),
            *MARKED,
            ResultColumn("p", "p", "p", "that no other body part has as large a mean"),
            ResultColumn("p_c", "p, only c", "p", "the same of severe errors alone"),
        ),
        rows,
    )


def fractions_by(kind: str, frame: RatingsFrame) -> Floats:
    """Return (m, 5, 3): the images' error fractions, unweighted, by error *type* or body *part* and severity.

    Means over an image's annotations: two of them are not independent scores of its generator.
    """
    marks, parts, codes = frame.marks, len(BODY_PARTS), frame.image_codes
    size = np.bincount(codes)
    place = marks.cell // parts if kind == "type" else marks.cell % parts
    slots = (codes[marks.row] * parts + place) * N_SEVERITIES + marks.severity
    flat = np.bincount(slots, marks.fraction, minlength=len(size) * parts * N_SEVERITIES).astype(np.float64)
    return np.asarray(flat.reshape(-1, parts, N_SEVERITIES) / np.maximum(size, 1)[:, None, None])


def _listed(codes: Ints, size: int) -> list[int]:
    listed: list[int] = np.sort(
        np.argsort(-np.bincount(codes, minlength=size), kind="stable")[:LISTED]
    ).tolist()
    return listed


def _by_slot(frame: RatingsFrame, values: Any) -> Floats:
    """Return (generators, 25, 3): values of marks summed by cell and severity."""
    marks, slots = frame.marks, N_CELLS * N_SEVERITIES
    groups = len(frame.labels("generator"))
    place = (
        frame.codes("generator")[marks.row] * slots
        + marks.cell.astype(np.int64) * N_SEVERITIES
        + marks.severity
    )
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


def _counts(frame: AnnotationTable, marked: Bools) -> Ints:
    """Return (generators, columns): annotations of each generator that set a column, of (n, columns)."""
    codes, groups = frame.codes("generator"), len(frame.labels("generator"))
    counts = [np.bincount(codes[column], minlength=groups) for column in marked.T]
    return np.stack(counts, axis=1).astype(np.int64)


def _most(parts: Floats) -> tuple[int | None, float | None]:
    """Return the body part with the largest mean of (m, 5) scores of images, and p; None without errors."""
    means = parts.mean(axis=0)
    if means.max(initial=0) <= SAME:
        return None, None
    most = int(means.round(9).argmax())
    gaps = parts[:, [most]] - np.delete(parts, most, axis=1)
    tests = [_p(gap) for gap in gaps.T]
    known = [p for p in tests if p is not None]
    return most, max(known) if len(known) == len(tests) else None


def _p(gaps: Floats) -> float | None:
    """Return the two-sided p of the paired t test of (m,) differences, 1 if the mean is not above 0."""
    if len(gaps) < 2 or np.ptp(gaps) <= SAME:
        return None
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1)) / len(gaps) ** 0.5
    if mean <= 0:
        return 1.0
    return float(t_test(mean, error, len(gaps) - 1, n_units=len(gaps), method=PAIRED)["p"])
