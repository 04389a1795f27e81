"""Agreement on parts of the grid: each error type, each body part, each of the 25 cells."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from analysis.stats.agreement.alpha import ALL_EQUAL, interval_sums
from analysis.stats.agreement.groups import with_computed_by
from analysis.stats.agreement.point_estimates import Point, from_marked, from_numbers
from analysis.stats.agreement.values import Values, disagreeing, marked_by
from analysis.stats.agreement.variables import binary, interval
from analysis.stats.bootstrap_intervals import FEWEST, estimated, in_blocks
from analysis.stats.frames import Floats, Ints, RatingsFrame
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES

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
NOBODY: Final = "no error was marked"


def by_piece(frame: RatingsFrame, judged: Values) -> Pieces:
    """Return alphas of yes/no cells and of a piece's part of the score, pooled over all coders."""
    rows = np.flatnonzero(judged.pairable)
    images = np.unique(frame.image_codes[rows], return_inverse=True)[1]
    n = np.bincount(images)
    by_cell = marked_by(judged.cells[rows], n)
    of_cells, points_of_cells = _of_cells(by_cell, n)
    of_scores, points_of_scores = _of_scores(frame.cell_scores[rows], images, n)
    points = points_of_cells + points_of_scores
    marked = (by_cell.sum(axis=0) @ MEMBERS.T).astype(int)
    reasons = [ALL_EQUAL if count else NOBODY for count in marked.tolist()]
    n_coders = len(np.unique(judged.annotators[rows]))
    estimates = estimated(
        np.concatenate([of_cells, of_scores], axis=1),
        _alphas,
        n_coders=n_coders,
        undefined=[*reasons, *reasons],
        n_units=len(n),
        values=[point.value for point in points],
        highest=1.0,
    )
    found = [with_computed_by(*each) for each in zip(estimates, points, strict=True)]
    pieces: Pieces = {"error_type": [], "body_part": [], "cell": []}
    for place, (kind, name) in enumerate(NAMES):
        entry = {"name": name, "images": len(n), "marked": int(marked[place])}
        pieces[kind].append({**entry, "cells": found[place], "cumulative_score": found[len(NAMES) + place]})
    return pieces


def _of_cells(marked: Ints, n: Ints) -> tuple[Floats, list[Point]]:
    """Return (blocks, 1 + 25 x 2): ratings; marks and disagreement of cells. And the alpha of each piece."""
    differing, block = disagreeing(marked, n[:, None]), in_blocks(len(n))
    columns = [np.bincount(block, column) for column in (n, *marked.T, *differing.T)]
    sums = np.stack(columns, axis=1).astype(np.float64)
    closed = _yes_no(sums.sum(axis=0))
    points = [
        from_marked(marked[:, members > 0], n, value) if len(n) >= FEWEST else Point(math.nan, None)
        for members, value in zip(MEMBERS, closed.tolist(), strict=True)
    ]
    return sums, points


def _of_scores(scores: Floats, images: Ints, n: Ints) -> tuple[Floats, list[Point]]:
    """Return (blocks, 35 x 3): sums of partial scores from (rows, 25) cell scores, and each piece's alpha.

    Pieces are processed one by one, because those of a large study together would take gigabytes.
    """
    block, columns, points = in_blocks(len(n)), [], []
    for members in MEMBERS:
        values = scores[:, members > 0].sum(axis=1)
        values -= values.mean() if len(values) else 0.0
        sums = interval_sums(values, images, n)
        columns += [np.bincount(block, column) for column in sums.T]
        closed = float(interval(n.sum(), sums.sum(axis=0)))
        few = len(n) < FEWEST
        points.append(Point(math.nan, None) if few else from_numbers(values, images, len(n), closed))
    return np.stack(columns, axis=1), points


def _alphas(totals: Floats) -> Floats:
    """Return (…, 70): the alphas of the pieces' yes/no cells, then those of their parts of the score."""
    scores = totals[..., 1 + 2 * len(CELLS) :].reshape(*totals.shape[:-1], len(NAMES), 3)
    n = np.broadcast_to(totals[..., :1], scores.shape[:-1])
    return np.concatenate([_yes_no(totals), interval(n, scores)], axis=-1)


def _yes_no(totals: Floats) -> Floats:
    """Return (…, 35): the alphas of the pieces' yes/no cells, from the first 51 columns."""
    n, cells = totals[..., :1], len(CELLS)
    marked = totals[..., 1 : 1 + cells] @ MEMBERS.T
    differing = totals[..., 1 + cells : 1 + 2 * cells] @ MEMBERS.T
    return binary(n * MEMBERS.sum(axis=1), np.stack([marked, differing], axis=-1))
