"""The adjudication form of the presence protocol: an error or none in each cell."""

from __future__ import annotations

from typing import Final

from annotator.protocols.adjudication import AdjudicationForm
from annotator.protocols.anatomy.adjudication import ROWS, TITLES
from scoring.grid.taxonomy import ERROR_TYPE_TITLES
from scoring.protocol import Payload

PRESENT: Final = "error"


class PresenceAdjudicationForm(AdjudicationForm):
    """25 cells: choose values where annotations differ; agreed values can be changed."""

    titles = TITLES
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
