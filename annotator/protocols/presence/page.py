"""The page of the presence protocol."""

from __future__ import annotations

from typing import Any, Final

from django.templatetags.static import static

from annotator.models import Project
from annotator.protocols.anatomy.guide import COMPONENTS, TITLES
from annotator.protocols.anatomy.guide_texts import BODY_PART_DEFINITIONS, ERROR_TYPE_DEFINITIONS
from annotator.protocols.page import GUIDED, Guide, ProtocolPage
from annotator.protocols.presence.adjudication import PresenceAdjudicationForm
from annotator.protocols.presence.form import PresenceForm
from annotator.protocols.presence.guide import BLOCKS, context, marks_shown
from annotator.protocols.presence.sheet import SHEET


def _config(_: Project) -> dict[str, Any]:
    return {
        "definitions": {**ERROR_TYPE_DEFINITIONS, **BODY_PART_DEFINITIONS},
        "pictures": {name: static(f"img/guide/{name}-b.webp") for name in ERROR_TYPE_DEFINITIONS},
    }


PAGE: Final = ProtocolPage(
    slug="presence",
    form=PresenceForm,
    headline="Cells marked",
    script="js/built/presence.js",
    script_stylesheets=("css/sheet.css",),
    config=_config,
    settings=(GUIDED,),
    settling=PresenceAdjudicationForm,
    sheet=SHEET,
    guide=Guide("annotator/presence_guide.html", context, BLOCKS, COMPONENTS, TITLES),
    marks=marks_shown,
)
