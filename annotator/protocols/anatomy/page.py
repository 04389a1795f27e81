"""The page of the anatomy protocol, and its counted sheet."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from annotator.models import Project
from annotator.protocols.anatomy.adjudication_form import AnatomyAdjudicationForm
from annotator.protocols.anatomy.form import AnatomyForm
from annotator.protocols.anatomy.guide import BLOCKS, COMPONENTS, TITLES, context, marks_shown
from annotator.protocols.anatomy.guide_texts import BODY_PART_DEFINITIONS, ERROR_TYPE_DEFINITIONS
from annotator.protocols.anatomy.suggested import COUNTS
from annotator.protocols.page import (
    GUIDED,
    GUIDED_REQUIRED,
    IMAGE_ID_SHOWN,
    OUTCOME_SHOWN,
    SCORE_SHOWN,
    SUGGESTIONS,
    ZOOM,
    Guide,
    Measure,
    ProtocolPage,
)
from annotator.protocols.sheet_format import CountedCells, SheetFormat
from scoring.anatomy.protocol import ANATOMY, payload_from_cells
from scoring.grid.notation import Term


def terms_of(payload: object) -> dict[str, tuple[Term, ...]]:
    """Return the terms of a stored payload by cell key, without a draft's marks that lack a total."""
    terms: dict[str, list[Term]] = defaultdict(list)
    for mark in ANATOMY.clean(payload, complete=False).payload()["marks"]:
        if mark["total"] is not None:
            cell = f"{mark['type']}.{mark['part']}"
            terms[cell].append(Term(mark["affected"], mark["total"], mark["severity"]))
    return {cell: tuple(own_terms) for cell, own_terms in terms.items()}


SHEET: Final = SheetFormat(
    rule="affected/total and a severity: 1/4b. Several terms with commas: 1/4b,2/4c. Empty: no error.",
    counted=CountedCells(payload_from_cells, terms_of),
)


def _config(project: Project) -> dict[str, Any]:
    return {
        "weights": {severity: str(weight) for severity, weight in project.weights.items()},
        "definitions": {**ERROR_TYPE_DEFINITIONS, **BODY_PART_DEFINITIONS},
    }


PAGE: Final = ProtocolPage(
    slug="anatomy",
    measure=Measure("Anatomical errors", "Counts and severities in 25 cells: 5 error types × 5 body parts."),
    form=AnatomyForm,
    headline="Score",
    script="js/built/anatomy.js",
    config=_config,
    settings=(GUIDED, GUIDED_REQUIRED, IMAGE_ID_SHOWN, SCORE_SHOWN, ZOOM, OUTCOME_SHOWN, SUGGESTIONS),
    suggested=COUNTS,
    # The operator model has 16.4 s by keyboard and 26.6 by mouse for the entry; the rest is for looking.
    pace=(25, 45),
    adjudicating=AnatomyAdjudicationForm,
    sheet=SHEET,
    guide=Guide(
        "annotator/guideline/protocols/anatomy.html",
        context,
        BLOCKS,
        COMPONENTS,
        TITLES,
        glance="annotator/guideline/protocols/anatomy_error_types.html",
    ),
    marks=marks_shown,
)
