"""Agreement on parts of the grid: each error type, each body part, each of the 25 cells."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.alpha import ALL_EQUAL, interval_sums
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.judgements import Judgements, disagreeing, marked_by
from analysis.stats.resampling import estimated, in_blocks
from analysis.stats.variables import binary, interval
from scoring.anatomy.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES

Pieces = dict[str, list[dict[str, Any]]]

# (35, 25): which cells belong to which piece; cells are type-major.
_CELLS: Final = np.eye(len(CELLS))
_TYPES: Final = np.kron(np.eye(len(ERROR_TYPES)), np.ones((1, len(BODY_PARTS))))
_PARTS: Final = np.kron(np.ones((1, len(ERROR_TYPES))), np.eye(len(BODY_PARTS)))
MEMBERS: Final = np.concatenate([_CELLS, _TYPES, _PARTS])
NAMES: Final = (
    *(("cell", cell.key) for cell in CELLS),
    *(("error_type", name) for name in ERROR_TYPES),
    *(("body_part", name) for name in BODY_PARTS),
)
NOBODY: Final = "nobody marked an error here"


def by_piece(frame: RatingsFrame, judged: Judgements) -> Pieces:
    """Alphas of yes/no cells and of the part of the score that falls to a piece, pooled over all coders."""
    rows = np.flatnonzero(judged.pairable)
    images = np.unique(frame.image_codes[rows], return_inverse=True)[1]
    units = int(images[-1]) + 1 if len(images) else 0
    sums = _sums(frame, judged, rows, images)
    marked = sums[:, 1 : 1 + len(CELLS)].sum(axis=0) @ MEMBERS.T
    reasons = [ALL_EQUAL if count else NOBODY for count in marked.tolist()]
    n_coders = len(np.unique(judged.annotators[rows]))
    found = estimated(
        sums, _alphas, n_coders=n_coders, undefined=[*reasons, *reasons], n_units=units, highest=1.0
    )
    pieces: Pieces = {"error_type": [], "body_part": [], "cell": []}
    for place, (kind, name) in enumerate(NAMES):
        entry = {"name": name, "images": units, "marked": int(marked[place])}
        pieces[kind].append({**entry, "cells": found[place], "cumulative_score": found[len(NAMES) + place]})
    return pieces


def _sums(frame: RatingsFrame, judged: Judgements, rows: Ints, images: Ints) -> Floats:
    """(blocks, 1 + 25 x 2 + 35 x 3): ratings; marks and disagreement of cells; sums of partial scores."""
    n = np.bincount(images)
    block = in_blocks(len(n))
    marked = marked_by(judged.cells[rows], n)
    columns = [n, *marked.T, *disagreeing(marked, n[:, None]).T]
    columns = [np.bincount(block, column) for column in columns]
    scores = frame.cell_scores[rows]
    for members in MEMBERS:
        values = scores[:, members > 0].sum(axis=1)
        values -= values.mean() if len(values) else 0.0
        columns += [np.bincount(block, column) for column in interval_sums(values, images, n).T]
    return np.stack(columns, axis=1).astype(np.float64)


def _alphas(totals: Floats) -> Floats:
    """(…, 70): the alphas of the pieces' yes/no cells, then those of their parts of the score."""
    n, cells, pieces = totals[..., :1], len(CELLS), len(NAMES)
    marked = totals[..., 1 : 1 + cells] @ MEMBERS.T
    differing = totals[..., 1 + cells : 1 + 2 * cells] @ MEMBERS.T
    yes_no = binary(n * MEMBERS.sum(axis=1), np.stack([marked, differing], axis=-1))
    scores = totals[..., 1 + 2 * cells :].reshape(*totals.shape[:-1], pieces, 3)
    return np.concatenate([yes_no, interval(np.broadcast_to(n, scores.shape[:-1]), scores)], axis=-1)
