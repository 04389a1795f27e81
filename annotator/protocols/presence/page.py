"""The page of the presence protocol, with its guideline and its adjudication form."""

from __future__ import annotations

from typing import Any, Final

from django.templatetags.static import static

from annotator.models import Project
from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.anatomy.adjudication_form import ROWS
from annotator.protocols.anatomy.adjudication_form import TITLES as CELL_TITLES
from annotator.protocols.anatomy.examples import PICTURE_SIZE
from annotator.protocols.anatomy.guide import COMPONENTS, DEFINITIONS, RULES, TITLES, chapters, parts, tip
from annotator.protocols.anatomy.guide_texts import (
    BODY_PART_DEFINITIONS,
    ERROR_TYPE_DEFINITIONS,
    GENERAL_REMINDERS,
)
from annotator.protocols.page import (
    GUIDED,
    OUTCOME_SHOWN,
    ZOOM,
    Guide,
    Measure,
    OwnGuide,
    ProtocolPage,
    ShownMark,
)
from annotator.protocols.presence.form import PresenceForm
from annotator.protocols.presence.sheet_format import SHEET
from scoring.grid.taxonomy import ERROR_TYPE_TITLES
from scoring.presence.protocol import PRESENCE
from scoring.protocol import Payload

KEYS: Final = (
    (
        "Navigation",
        (
            tip(("M", "X", "G", "O", "P"), "Missing, eXtra, confiGuration, Orientation, Proportion"),
            tip(("T", "L", "F", "H", "E"), "Torso, Limbs, Feet, Hands, facE"),
            tip(("←", "→", "↑", "↓"), "neighbouring cell"),
            tip(("Tab", "Shift Tab"), "next or previous cell in the prescribed order"),
        ),
    ),
    (
        "Marks",
        (
            tip(("Space", "1"), "mark or unmark the cell"),
            tip(("U",), "mark as unsure"),
            tip(("0",), "turn “No errors” on or off"),
            tip(("Y", "N"), "in a guided batch: yes or no, then next cell"),
        ),
    ),
    (
        "The image",
        (
            tip(("Ctrl Enter",), "submit and go to the next image"),
            tip(("Z", "Ctrl Z", "Ctrl Y"), "undo, undo, redo (⌘ on a Mac)"),
            tip(("N",), "note, unless the batch is guided"),
            tip(("S",), "flag or skip, with a reason"),
            tip(("?",), "help"),
        ),
    ),
)

BLOCKS: Final = (RULES, *DEFINITIONS)
"""The texts that a project can replace."""


def context(own: OwnGuide) -> dict[str, Any]:
    """Return the context of the guideline's template."""
    return {
        "chapters": chapters(own),
        "keys": KEYS,
        "own": own.texts,
        "parts": parts(own),
        "picture_size": PICTURE_SIZE,
        "reminders": GENERAL_REMINDERS,
    }


def marks_shown(payload: Payload) -> list[ShownMark]:
    """Return the marked cells of a payload, with their doubt."""
    unsure = payload.get("unsure", [])
    return [ShownMark(key, "unsure" if key in unsure else "marked") for key in payload.get("cells", [])]


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


def _config(_: Project) -> dict[str, Any]:
    return {
        "definitions": {**ERROR_TYPE_DEFINITIONS, **BODY_PART_DEFINITIONS},
        "pictures": {name: static(f"img/guide/{name}-b.webp") for name in ERROR_TYPE_DEFINITIONS},
    }


PAGE: Final = ProtocolPage(
    slug="presence",
    measure=Measure(
        "Presence, then counts",
        "A first stage marks which cells have errors; a second counts them where there are some.",
        then=tuple(PRESENCE.shown_as),
    ),
    form=PresenceForm,
    headline="Cells marked",
    script="js/built/presence.js",
    config=_config,
    settings=(GUIDED, ZOOM, OUTCOME_SHOWN),
    adjudicating=PresenceAdjudicationForm,
    sheet=SHEET,
    guide=Guide(
        "annotator/guideline/protocols/presence.html",
        context,
        BLOCKS,
        COMPONENTS,
        TITLES,
        glance="annotator/guideline/protocols/anatomy_error_types.html",
    ),
    marks=marks_shown,
)
