"""Ratings made elsewhere: a row each, with rating, invalid and note, read like the answers of a form."""

from __future__ import annotations

from typing import Final

from annotator.protocols.rating_form.sheet import read_answers
from annotator.protocols.realism.scale import REASONS, TIERS
from annotator.protocols.sheet_format import Cells, ReadCells, SheetFormat, SheetReader, read_payload
from scoring.protocol import Payload
from scoring.rating_form.definition import Item, word_of
from scoring.realism.protocol import clean

HEADINGS: Final = ("rating", "invalid", "note")
_RATINGS: Final = tuple((rating, "") for tier in TIERS for rating in tier.ratings)
_REASONS: Final = tuple((reason, title) for reason, (title, _) in REASONS.items())
_ITEMS: Final = (
    Item("rating", "scale", "Rating", points=_RATINGS),
    Item("invalid", "choice", "Invalid", options=_REASONS),
)
_ANY_REASON: Final = dict.fromkeys(("1", "yes", "x", "true"), "other")
_VALID: Final = dict.fromkeys(("0", "no", "false"), "")


def written(payload: Payload) -> dict[str, str]:
    """Return the texts of a payload by heading."""
    return {heading: word_of(payload[heading]) for heading in HEADINGS}


def read(cells: Cells) -> ReadCells:
    """Read a row; invalid by `yes` or `1` is *other*, whose note says why."""
    texts = {heading: cells.get(heading, "").strip() for heading in HEADINGS}
    invalid = texts["invalid"]
    reason = (_ANY_REASON | _VALID).get(invalid.casefold(), invalid)
    answers, problems = read_answers(_ITEMS, texts | {"invalid": reason})
    if problems:
        return ReadCells(None, problems)
    return read_payload(clean, {**answers, "note": texts["note"]}, {name: name for name in HEADINGS}, texts)


SHEET: Final = SheetFormat(
    rule="a whole number from 1 to 10, or a reason under invalid.",
    reader=SheetReader(read, written, HEADINGS),
)
