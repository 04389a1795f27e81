"""The ladder: how far do two annotators agree on each cell that either marked?

Rungs: both marked it; the same number of affected parts; the same total; the same terms, with equal counts
for each severity. Each rung counts only cells that passed the previous one, so a drop shows where agreement
is lost. In addition, each question is counted by itself among cells that both marked; there, the last one
asks for the same set of severities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.stats.agreement.grid_parts import MEMBERS, NAMES
from analysis.stats.bootstrap_intervals import estimated, in_blocks
from analysis.stats.frames import N_CELLS, N_SEVERITIES, Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages

# Marked by either, by both, the nested rungs, and each question alone among those marked by both.
RUNGS: Final = ("both", "same_affected", "same_total", "same_severity")
ALONE: Final = ("same_affected", "same_total", "same_severity")
COUNTERS: Final = 1 + len(RUNGS) + len(ALONE)
CHUNK: Final = 50_000
NOT_FLAGGED: Final = "no cell was marked"
NOT_BOTH: Final = "both marked no cell in common"


@dataclass(frozen=True)
class CellAnnotations:
    """The marks of each cell: `said` (n, 25) indexes distinct sets of terms.

    For each of the k sets, (k,) each: the sum of affected parts, the largest total, and a bit for each
    severity; set 0 is an unmarked cell. A study has few distinct sets, so each cell costs only four bytes.
    """

    said: npt.NDArray[np.int32]
    affected: Ints
    total: Ints
    severities: Ints


def cell_annotations(frame: RatingsFrame) -> CellAnnotations:
    """Return the set of terms of each annotation's cells; sets are equal if all terms are."""
    marks = frame.marks
    said = np.zeros((len(frame), N_CELLS), dtype=np.int32)
    if not len(marks.row):
        nothing = np.zeros(1, dtype=np.int64)
        return CellAnnotations(said, nothing, nothing, nothing)
    # Marks are sorted by row and cell, so those of one cell are adjacent.
    place = marks.row.astype(np.int64) * N_CELLS + marks.cell
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    fractions, known = pd.factorize(marks.affected.astype(np.int64) << 32 | marks.total)
    # A digit for each severity, 0 if absent: exact below 2^21 distinct fractions.
    digits = (fractions.astype(np.int64) + 1) * (len(known) + 1) ** marks.severity.astype(np.int64)
    which, different = pd.factorize(np.add.reduceat(digits, starts))
    said.ravel()[place[starts]] = which + 1
    given = _digits(np.concatenate([[0], different]), len(known) + 1)
    affected, total = (np.concatenate([[0], part]) for part in (known >> 32, known & 0xFFFFFFFF))
    return CellAnnotations(
        said,
        affected=affected[given].sum(axis=1),
        total=total[given].max(axis=1),
        severities=(given > 0) @ (1 << np.arange(N_SEVERITIES)),
    )


def _digits(numbers: Ints, base: int) -> Ints:
    """Return (k, severities): the digits of (k,) numbers."""
    return np.stack([numbers // base**place % base for place in range(N_SEVERITIES)], axis=1)


def ladder(frame: RatingsFrame, shared: SharedImages) -> dict[str, Any]:
    """Return counts and shares over all pairs of an image's annotators: all cells, by type, part and cell."""
    sums, images, coders = _sums(frame, shared)
    grouped = np.concatenate([np.ones((1, N_CELLS)), MEMBERS])
    names = [("overall", "all cells"), *NAMES]

    def shares(totals: Floats) -> Floats:
        counts = _counts(totals, grouped)
        return _shares(counts).reshape(*totals.shape[:-1], -1)

    counts = _counts(sums.sum(axis=0), grouped)
    per_group = len(RUNGS) + len(ALONE)
    reasons = ([NOT_FLAGGED] * len(RUNGS) + [NOT_BOTH] * len(ALONE)) * len(names)
    found = estimated(
        sums, shares, n_coders=coders, undefined=reasons, n_units=images, lowest=0.0, highest=1.0
    )
    ladders: dict[str, Any] = {"overall": [], "error_type": [], "body_part": [], "cell": []}
    for place, (kind, name) in enumerate(names):
        values = found[place * per_group : (place + 1) * per_group]
        ladders[kind].append({"name": name, **_entry(counts[place].astype(int).tolist(), values)})
    return {"images": images, **ladders}


def _entry(counts: list[int], values: list[Any]) -> dict[str, Any]:
    rungs, alone = 1 + len(RUNGS), len(RUNGS)
    return {
        "either": counts[0],
        "counts": dict(zip(RUNGS, counts[1:rungs], strict=True)),
        "shares": dict(zip(RUNGS, values[:alone], strict=True)),
        "alone_counts": dict(zip(ALONE, counts[rungs:], strict=True)),
        "alone_shares": dict(zip(ALONE, values[alone:], strict=True)),
    }


def _counts(totals: Floats, grouped: Floats) -> Floats:
    """Return (…, groups, counters) of (…, 25 x counters) totals."""
    by_cell = totals.reshape(*totals.shape[:-1], N_CELLS, COUNTERS)
    return np.asarray(np.einsum("gc,...ck->...gk", grouped, by_cell, optimize=True))


def _shares(counts: Floats) -> Floats:
    """Return (…, groups, 7): the rungs out of either, then each question alone out of both."""
    rungs = 1 + len(RUNGS)
    either, both = counts[..., :1], counts[..., 1:2]
    return np.concatenate([ratio(counts[..., 1:rungs], either), ratio(counts[..., rungs:], both)], axis=-1)


def ratio(part: Floats, whole: Floats) -> Floats:
    """Return the part's share of the whole; NaN if the whole is 0."""
    with np.errstate(all="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))


def _sums(frame: RatingsFrame, shared: SharedImages) -> tuple[Floats, int, int]:
    """Return (blocks, 25 x counters) counts, the number of images and of annotators."""
    images = np.unique(frame.image_codes[shared.first], return_inverse=True)[1]
    n_images = int(images.max(initial=-1)) + 1
    block_of = in_blocks(n_images)
    blocks = int(block_of.max(initial=-1)) + 1
    answers = cell_annotations(frame)
    flat = np.zeros(blocks * N_CELLS * COUNTERS)
    for start in range(0, len(images), CHUNK):
        part = slice(start, start + CHUNK)
        flat += _counted(answers, shared.first[part], shared.second[part], block_of[images[part]], len(flat))
    annotators = frame.codes("annotator")
    coders = len(np.union1d(annotators[shared.first], annotators[shared.second]))
    return flat.reshape(blocks, N_CELLS * COUNTERS), n_images, coders


def _counted(answers: CellAnnotations, first: Ints, second: Ints, block: Ints, size: int) -> Floats:
    """Return (blocks x 25 x counters,): the counters of these (pair, image), cell by cell."""
    entry, cell = np.nonzero((answers.said[first] | answers.said[second]) > 0)
    a, b = answers.said[first[entry], cell], answers.said[second[entry], cell]
    both = (a > 0) & (b > 0)
    affected = both & (answers.affected[a] == answers.affected[b])
    total = both & (answers.total[a] == answers.total[b])
    severity = both & (answers.severities[a] == answers.severities[b])
    rungs = (both, affected, affected & total, both & (a == b))
    key = (block[entry] * N_CELLS + cell) * COUNTERS
    found = np.bincount(key, minlength=size).astype(np.float64)
    for place, true in enumerate((*rungs, affected, total, severity), start=1):
        found += np.bincount(key[true] + place, minlength=size)
    return found
