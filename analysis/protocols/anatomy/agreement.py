"""Agreement of the anatomy protocol: score, overall severity and cells, then the grid and the ladder."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.protocols.anatomy.ladder import FIGURE, ladder_table
from analysis.protocols.grid_agreement import FIGURES, grid_tables
from analysis.stats.estimates import Estimate
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.agreement import Further, Measured, Plan, shared_rows
from analysis.stats.generic.disagreements import Differences
from analysis.stats.generic.intraclass import two_way
from analysis.stats.generic.measures import AC1, POSITIVE
from analysis.stats.generic.tables import Json, finding
from analysis.stats.overall_severity import (
    FEWEST_FOR_BANDS,
    UNKNOWN,
    certain_bands,
    severity_bands,
    too_few_scores,
)
from analysis.stats.pairs import SharedImages
from scoring.anatomy.protocol import ANATOMY
from scoring.grid.taxonomy import CELLS, SEVERITIES
from scoring.protocol import Variable

SEVERITY: Final = Variable(
    name="overall_severity",
    title="Overall severity",
    level_of_measurement="ordinal",
    value_domain="0 low, 1 medium, 2 high among an annotator's own scores",
    values=(0, 1, 2),
    optional=True,
)
MARKED: Final = Variable(
    name="cells",
    title="Cells",
    level_of_measurement="nominal",
    value_domain="1 if a cell is marked, else 0",
    components=tuple(cell.key for cell in CELLS),
    values=(0, 1),
)
NO_BANDS: Final = f"no image has two annotators with {FEWEST_FOR_BANDS} scores"
WORDS: Final = (
    "Overall severity is low, medium or high among an annotator's own scores: of all their images, by pair, "
    "as published, of those that the pair shares."
)
ON_LOGS: Final = "too uncertain where scores are skewed; there is one on log(1 + score)"


def _measured(frame: RatingsFrame, shared: SharedImages) -> list[Measured]:
    """Return the measures; severity bands are over all images of an annotator, in pairs over shared ones."""
    scores = frame.scores
    bands = certain_bands(scores, frame.codes("annotator"))[0]
    in_pairs = tuple(
        severity_bands(scores[rows], shared.pair).astype(np.float64)[:, None]
        for rows in (shared.first, shared.second)
    )
    severity = Measured(
        SEVERITY,
        np.where(bands == UNKNOWN, np.nan, bands)[:, None],
        in_pairs=(in_pairs[0], in_pairs[1]),
        doubtful=lambda images: too_few_scores(images) if images < FEWEST_FOR_BANDS else "",
        missing=NO_BANDS,
    )
    return [
        Measured(ANATOMY.headline, scores[:, None]),
        severity,
        Measured(MARKED, frame.cells, beside=(AC1, POSITIVE)),
    ]


def _own(frame: RatingsFrame, shared: SharedImages) -> list[Json]:
    return [*grid_tables(frame, frame.cells, MARKED, shared), ladder_table(frame, shared)]


def _correlations(frame: RatingsFrame) -> Further:
    """Return ICC(A,1) of the scores and of log(1 + score), over doubly annotated images."""
    rows, images = shared_rows(frame, np.arange(len(frame)))
    annotators, scores = frame.codes("annotator")[rows], frame.scores[rows]
    plain = two_way(scores, annotators, images)[0]
    if plain["low"] is not None:
        plain = Estimate(**{**plain, "low": None, "high": None, "refused": ON_LOGS})
    return [
        (f"{ANATOMY.headline.title}: ICC(A,1)", plain),
        ("log(1 + score): ICC(A,1)", two_way(np.log1p(scores), annotators, images)[0]),
    ]


def _differences(frame: RatingsFrame) -> Differences:
    return Differences(
        headline=frame.scores,
        title=ANATOMY.headline.title,
        components=[cell.key for cell in CELLS],
        counted=frame.cells,
        texts=lambda row: _cells(frame, row),
        count_title="Cells marked by one only",
        components_first=False,
    )


def _cells(frame: RatingsFrame, row: int) -> list[str]:
    """Return the 25 cells of an annotation in sheet notation, marks in order of severity."""
    terms: list[list[str]] = [[] for _ in CELLS]
    for cell, affected, total, severity in frame.marks.of(row):
        terms[cell].append(f"{affected}/{total}{SEVERITIES[severity]}")
    return [",".join(cell_terms) for cell_terms in terms]


def _settings(frame: RatingsFrame) -> dict[str, Any]:
    return {"weights": dict(zip(SEVERITIES, frame.weights.tolist(), strict=True))}


anatomy_agreement: Final[Plan[RatingsFrame]] = Plan(
    measured=_measured,
    differences=_differences,
    further=_correlations,
    own=_own,
    findings=(finding("ladder", "ladder", 0),),
    figures=(*FIGURES, FIGURE),
    settings=_settings,
    words=WORDS,
)
"""The agreement of the cumulative scores, overall severities and cells."""
