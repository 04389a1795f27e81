"""Annotations of the presence protocol, cell by cell: is there such an error or not."""

from __future__ import annotations

from typing import Final

from annotator.protocols.anatomy.settling import ROWS, TITLES
from annotator.protocols.settling import SettlingForm
from scoring.grid.taxonomy import BODY_PART_TITLES
from scoring.protocol import Payload

PRESENT: Final = "error"


class PresenceSettlingForm(SettlingForm):
    """25 cells: what differs is ticked, what all agree on is taken over and can be changed."""

    titles = TITLES
    heads = list(BODY_PART_TITLES.values())
    rows = ROWS
    thing = "cell"
    nothing = "no error"

    def text_of(self, payload: Payload, key: str) -> str:
        """Return `error` for a marked cell, else the empty text."""
        return PRESENT if key in payload.get("cells", ()) else ""

    def field_name(self, key: str) -> str:
        """Return a field of its own for each cell; the protocol refuses `cells` as a whole."""
        return f"cells.{key}"

    def payload(self) -> Payload:
        """Return the cells that hold; what is neither `error` nor empty is in `errors` and left out."""
        cells = []
        for key in self.titles:
            text = self.chosen(key)
            if text == PRESENT:
                cells.append(key)
            elif text:
                self.add(key, f"Refused: “{text}”. Type {PRESENT}, or empty the field where there is none.")
        return {"cells": cells, "no_errors": not cells, "unsure": [], "flag": None, "note": ""}
