"""The page of the anatomy protocol."""

from __future__ import annotations

from typing import Any, Final

from annotator.models import Project
from annotator.protocols.anatomy.adjudication import AnatomyAdjudicationForm
from annotator.protocols.anatomy.form import AnatomyForm
from annotator.protocols.anatomy.guide import BLOCKS, COMPONENTS, TITLES, context, marks_shown
from annotator.protocols.anatomy.guide_texts import BODY_PART_DEFINITIONS, ERROR_TYPE_DEFINITIONS
from annotator.protocols.anatomy.sheet import SHEET
from annotator.protocols.page import GUIDED, SCORE_SHOWN, Guide, ProtocolPage


def _config(project: Project) -> dict[str, Any]:
    return {
        "weights": {severity: str(weight) for severity, weight in project.weights.items()},
        "definitions": {**ERROR_TYPE_DEFINITIONS, **BODY_PART_DEFINITIONS},
    }


PAGE: Final = ProtocolPage(
    slug="anatomy",
    form=AnatomyForm,
    headline="Score",
    script="js/built/label.js",
    script_stylesheets=("css/sheet.css",),
    config=_config,
    settings=(GUIDED, SCORE_SHOWN),
    settling=AnatomyAdjudicationForm,
    sheet=SHEET,
    guide=Guide("annotator/guide.html", context, BLOCKS, COMPONENTS, TITLES),
    marks=marks_shown,
)
