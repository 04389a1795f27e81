"""The page of the presence protocol, and its adjudication form: an error or none in each cell."""

from __future__ import annotations

from typing import Any, Final

from django.templatetags.static import static

from annotator.models import Project
from annotator.protocols.adjudication import AdjudicationForm
from annotator.protocols.anatomy.adjudication import ROWS
from annotator.protocols.anatomy.adjudication import TITLES as CELL_TITLES
from annotator.protocols.anatomy.guide import COMPONENTS, TITLES
from annotator.protocols.anatomy.guide_texts import BODY_PART_DEFINITIONS, ERROR_TYPE_DEFINITIONS
from annotator.protocols.page import GUIDED, ZOOM, Guide, ProtocolPage
from annotator.protocols.presence.form import PresenceForm
from annotator.protocols.presence.guide import BLOCKS, context, marks_shown
from annotator.protocols.presence.sheet import SHEET
from scoring.grid.taxonomy import ERROR_TYPE_TITLES
from scoring.protocol import Payload

PRESENT: Final = "error"


class PresenceAdjudicationForm(AdjudicationForm):
    """25 cells: choose values where annotations differ; agreed values can be changed."""

    titles = CELL_TITLES
    heads = list(ERROR_TYPE_TITLES.values())
    rows = ROWS
    thing = "cell"
    nothing = "no error"

    def text_of(self, payload: Payload, key: str) -> str:
        """Return `error` for a marked cell, otherwise the empty text."""
        return PRESENT if key in payload.get("cells", ()) else ""

    def field_name(self, key: str) -> str:
        """Return a separate field per cell; the protocol's own errors name `cells` as a whole."""
        return f"cells.{key}"

    def payload(self) -> Payload:
        """Return the payload of the chosen cells; texts other than `error` are in `errors` and omitted."""
        cells = []
        for key in self.titles:
            text = self.chosen(key)
            if text == PRESENT:
                cells.append(key)
            elif text:
                self.add(key, f"Refused: “{text}”. Enter {PRESENT}, or clear the field for no error.")
        return {"cells": cells, "no_errors": not cells, "unsure": [], "flag": None, "note": ""}

    def corrected(self, stored: Payload) -> Payload:
        """Return the payload of a single annotation's cells; those still marked stay unsure."""
        made = super().corrected(stored)
        return {**made, "unsure": [key for key in stored.get("unsure", []) if key in made["cells"]]}


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
    settings=(GUIDED, ZOOM),
    settling=PresenceAdjudicationForm,
    sheet=SHEET,
    guide=Guide(
        "annotator/presence_guide.html",
        context,
        BLOCKS,
        COMPONENTS,
        TITLES,
        glance="annotator/error_types.html",
    ),
    marks=marks_shown,
)
