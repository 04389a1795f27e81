"""The ladder: how far do two annotators agree on each cell that either marked?

Rungs: both marked it; the same number of affected parts; the same total; the same terms, with equal counts
for each severity. Each rung counts only cells that passed the previous one, so a drop shows where agreement
is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.stats.bootstrap_intervals import estimated, in_blocks
from analysis.stats.frames import N_CELLS, N_SEVERITIES, Floats, Ints, RatingsFrame
from analysis.stats.generic.tables import Json, ResultColumn, figure, table
from analysis.stats.pairs import SharedImages
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES
from scoring.rounding import percent

RUNGS: Final = {
    "both": ("Both marked it", "cells marked by both, of those marked by either annotator"),
    "same_affected": ("Same number", "of those, both entered the same number of affected parts"),
    "same_total": ("Same total", "and the same total"),
    "same_severity": ("Same severity", "and the same severity for each part: the two agree in every term"),
}
COUNTERS: Final = 1 + len(RUNGS)
CHUNK: Final = 50_000
NOT_FLAGGED: Final = "no cell was marked"
PARTS: Final = ("All cells", *ERROR_TYPE_TITLES.values(), *BODY_PART_TITLES.values())
# (11, 25): which cells belong to which part of the grid; cells are type-major.
MEMBERS: Final = np.concatenate(
    [
        np.ones((1, N_CELLS)),
        np.kron(np.eye(len(ERROR_TYPE_TITLES)), np.ones((1, len(BODY_PART_TITLES)))),
        np.kron(np.ones((1, len(ERROR_TYPE_TITLES))), np.eye(len(BODY_PART_TITLES))),
    ]
)
FIGURE: Final = figure(
    "heat",
    "ladder",
    "Where agreement is lost",
    slug="ladder",
    label="part",
    note="Of the cells that either of two annotators marked in an image: the share left after each step.",
)


@dataclass(frozen=True)
class CellAnnotations:
    """The marks of each cell: `terms` (n, 25) indexes distinct sets of terms.

    For each of the k sets, (k,) each: the sum of affected parts and the largest total; set 0 is an unmarked
    cell. A study has few distinct sets, so each cell costs only four bytes.
    """

    terms: npt.NDArray[np.int32]
    affected: Ints
    total: Ints


def cell_annotations(frame: RatingsFrame, rows: Ints) -> CellAnnotations:
    """Return the set of terms of each cell of these annotations, of others none; equal if all terms are."""
    terms = np.zeros((len(frame), N_CELLS), dtype=np.int32)
    is_wanted = np.zeros(len(frame), dtype=np.bool_)
    is_wanted[rows] = True
    marks = frame.only(is_wanted).marks
    if not len(marks.row):
        nothing = np.zeros(1, dtype=np.int64)
        return CellAnnotations(terms, nothing, nothing)
    # Marks are sorted by row and cell, so those of one cell are adjacent.
    place = np.flatnonzero(is_wanted)[marks.row] * N_CELLS + marks.cell
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    fractions, known = pd.factorize(marks.affected.astype(np.int64) << 32 | marks.total)
    # A digit for each severity, 0 if absent: exact below 2^21 distinct fractions.
    digits = (fractions.astype(np.int64) + 1) * (len(known) + 1) ** marks.severity.astype(np.int64)
    which, different = pd.factorize(np.add.reduceat(digits, starts))
    terms.ravel()[place[starts]] = which + 1
    given = _digits(np.concatenate([[0], different]), len(known) + 1)
    affected, total = (np.concatenate([[0], part]) for part in (known >> 32, known & 0xFFFFFFFF))
    return CellAnnotations(terms, affected[given].sum(axis=1), total[given].max(axis=1))


def _digits(numbers: Ints, base: int) -> Ints:
    """Return (k, severities): the digits of (k,) numbers."""
    return np.stack([numbers // base**place % base for place in range(N_SEVERITIES)], axis=1)


def ladder_table(frame: RatingsFrame, shared: SharedImages) -> Json:
    """Return the ladder over all pairs of an image's annotators: all cells, by error type and body part."""
    sums, images, n_annotators = _sums(frame, shared)

    def shares(totals: Floats) -> Floats:
        counts = _counts(totals)
        with np.errstate(all="ignore"):
            fractions = np.where(counts[..., :1] > 0, counts[..., 1:] / counts[..., :1], np.nan)
        return fractions.reshape(*totals.shape[:-1], -1)

    either = _counts(sums.sum(axis=0))[:, 0].astype(int).tolist()
    estimates = estimated(
        sums, shares, n_coders=n_annotators, undefined=NOT_FLAGGED, n_units=images, lowest=0.0, highest=1.0
    )
    rows = [
        [words, either[place], *estimates[place * len(RUNGS) : (place + 1) * len(RUNGS)]]
        for place, words in enumerate(PARTS)
    ]
    known = [cell["value"] for cell in rows[0][2:]]
    return table(
        "ladder",
        "Where agreement is lost",
        "How far two annotators agree on each cell that either marked. Each column counts only cells that "
        "remain from the previous column, so a drop shows where agreement is lost. Shares with their 95% "
        "intervals over images.",
        (
            ResultColumn("part", "Part of the grid"),
            ResultColumn("either", "Marked by either", "count"),
            *(ResultColumn(rung, title, "estimate", words) for rung, (title, words) in RUNGS.items()),
        ),
        rows if either[0] else [],
        line="" if None in known else f"Both marked {percent(known[0])}%, equal in all {percent(known[-1])}%",
    )


def _counts(totals: Floats) -> Floats:
    """Return (…, parts, counters) of (…, 25 x counters) totals."""
    by_cell = totals.reshape(*totals.shape[:-1], N_CELLS, COUNTERS)
    return np.asarray(np.einsum("gc,...ck->...gk", MEMBERS, by_cell, optimize=True))


def _sums(frame: RatingsFrame, shared: SharedImages) -> tuple[Floats, int, int]:
    """Return (blocks, 25 x counters) counts, the number of images and of annotators."""
    images = np.unique(frame.image_codes[shared.first], return_inverse=True)[1]
    n_images = int(images.max(initial=-1)) + 1
    block_of = in_blocks(n_images)
    blocks = int(block_of.max(initial=-1)) + 1
    cells = cell_annotations(frame, np.union1d(shared.first, shared.second))
    flat = np.zeros(blocks * N_CELLS * COUNTERS)
    for start in range(0, len(images), CHUNK):
        part = slice(start, start + CHUNK)
        flat += _counted(cells, shared.first[part], shared.second[part], block_of[images[part]], len(flat))
    annotators = frame.codes("annotator")
    n_annotators = len(np.union1d(annotators[shared.first], annotators[shared.second]))
    return flat.reshape(blocks, N_CELLS * COUNTERS), n_images, n_annotators


def _counted(cells: CellAnnotations, first: Ints, second: Ints, block: Ints, size: int) -> Floats:
    """Return (blocks x 25 x counters,): the counters of these (pair, image), cell by cell."""
    entry, cell = np.nonzero((cells.terms[first] | cells.terms[second]) > 0)
    a, b = cells.terms[first[entry], cell], cells.terms[second[entry], cell]
    both = (a > 0) & (b > 0)
    affected = both & (cells.affected[a] == cells.affected[b])
    total = affected & (cells.total[a] == cells.total[b])
    key = (block[entry] * N_CELLS + cell) * COUNTERS
    sums = np.bincount(key, minlength=size).astype(np.float64)
    for place, is_equal in enumerate((both, affected, total, both & (a == b)), start=1):
        sums += np.bincount(key[is_equal] + place, minlength=size)
    return sums
