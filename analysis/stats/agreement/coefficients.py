"""Agreement beside alpha: what share of cells agrees, and how much of a score is due to its image.

Cells (marked or not), over images with two or more annotators, each image with equal weight: raw agreement is
the share of equal pairs of ratings; positive agreement the probability that another annotator marks a cell
that one has marked, negative agreement the same for unmarked cells (J. L. Fleiss, B. Levin, M. C. Paik,
"Statistical Methods for Rates and Proportions", 2003, chapter 18); AC1 is that of K. L. Gwet, "Computing
inter-rater reliability and its variance in the presence of high agreement", British Journal of Mathematical
and Statistical Psychology 61 (2008) 29-48. Where few cells are marked, alpha is low although raw agreement is
high.

Scores: ICC(A,1) and ICC(C,1) of K. O. McGraw, S. P. Wong, "Forming inferences about some intraclass
correlation coefficients", Psychological Methods 1 (1996) 30-46, from variance components by REML, because not
everybody judged every image.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.agreement.associations import correlations
from analysis.stats.agreement.values import Values, marked_by
from analysis.stats.bootstrap_intervals import FEWEST, NONE, estimated, in_blocks, too_few
from analysis.stats.estimates import Estimate, refused
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.mixed_fits import fit
from analysis.stats.mixed_models import BLOCK, CELL, IMAGE, RESIDUAL, model_of
from analysis.stats.pairs import SharedImages
from analysis.stats.variance_components import share_estimate
from scoring.grid.taxonomy import CELLS

MOST_ANNOTATORS: Final = 500
OF_CELLS: Final = ("raw_agreement", "positive_agreement", "negative_agreement", "gwet_ac1")
NOBODY: Final = "no cell is marked, or every cell is"
NO_SPREAD: Final = "all scores are equal"


def coefficients(frame: RatingsFrame, judged: Values, shared: SharedImages) -> dict[str, Any]:
    """Return the coefficients of cells and scores, each an `Estimate`.

    `doubly_annotated` and `all_annotations` are intraclass correlations over images with two or more
    annotations and over all images: the latter tell more about how images and annotators differ.
    """
    rows = np.flatnonzero(judged.pairable)
    images = np.unique(frame.image_codes[rows], return_inverse=True)[1]
    n_coders = len(np.unique(judged.annotators[rows]))
    return {
        **_cells(judged, rows, images, n_coders),
        **correlations(frame, shared),
        "doubly_annotated": _intraclass(frame.scores[rows], judged.annotators[rows], images),
        "all_annotations": _intraclass(frame.scores, judged.annotators, frame.image_codes),
    }


def _cells(judged: Values, rows: Ints, images: Ints, n_coders: int) -> dict[str, Estimate]:
    n = np.bincount(images)
    marked = marked_by(judged.cells[rows], n)
    size = n[:, None]
    both, neither = marked * (marked - 1), (size - marked) * (size - marked - 1)
    sums = [
        np.full(len(n), float(len(CELLS))),
        ((both + neither) / (size * (size - 1))).sum(axis=1),
        (both / (size - 1)).sum(axis=1),
        marked.sum(axis=1),
        (neither / (size - 1)).sum(axis=1),
        (size - marked).sum(axis=1),
        (marked / size).sum(axis=1),
    ]
    block = in_blocks(len(n))
    table = np.stack([np.bincount(block, column) for column in sums], axis=1).astype(np.float64)
    found = estimated(
        table, _of_cells, n_coders=n_coders, undefined=NOBODY, n_units=len(n), lowest=-1.0, highest=1.0
    )
    return dict(zip(OF_CELLS, found, strict=True))


def _of_cells(totals: Floats) -> Floats:
    """Return (…, 4): raw, positive and negative agreement and AC1 from (…, 7) totals over images."""
    cells, equal, both, marked, neither, unmarked, shares = np.moveaxis(totals, -1, 0)
    with np.errstate(all="ignore"):
        raw, prevalence = equal / cells, shares / cells
        chance = 2 * prevalence * (1 - prevalence)
        found = np.stack([raw, both / marked, neither / unmarked, (raw - chance) / (1 - chance)], axis=-1)
    return np.where(np.isfinite(found), found, np.nan)


def _intraclass(scores: Floats, annotators: Ints, images: Ints) -> dict[str, Estimate]:
    """Return ICC(A,1) and ICC(C,1) of one score, of (n,) scores of images by annotators."""
    people = np.unique(annotators, return_inverse=True)[1]
    n_images, n_coders = int(images.max(initial=-1)) + 1, int(people.max(initial=-1)) + 1
    about = {"n_units": n_images, "n_coders": n_coders}
    reason = _no_components(scores, images, n_images, n_coders)
    if reason:
        nothing = refused(reason, method=NONE, **about)
        return {"icc_agreement": nothing, "icc_consistency": nothing}
    one = np.zeros(len(scores), dtype=np.int64)
    found = fit(model_of(scores, np.ones((len(scores), 1)), [people], images, one, one), (CELL, BLOCK))
    shares = {
        "icc_agreement": lambda v: float(v[IMAGE] / v.sum()),
        "icc_consistency": lambda v: float(v[IMAGE] / (v[IMAGE] + v[RESIDUAL])),
    }
    return {name: share_estimate(found, share, about) for name, share in shares.items()}


def _no_components(scores: Floats, images: Ints, n_images: int, n_coders: int) -> str:
    if n_images < FEWEST:
        return too_few(n_images)
    if len(scores) == n_images:
        return "no image has two annotations"
    if n_coders > MOST_ANNOTATORS:
        return f"more than {MOST_ANNOTATORS} annotators"
    away = scores - (np.bincount(images, scores) / np.bincount(images))[images]
    return NO_SPREAD if np.abs(away).max() < 1e-9 else ""
