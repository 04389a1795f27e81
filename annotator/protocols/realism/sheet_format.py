"""Ratings made elsewhere: a row each, with the columns rating, invalid and note."""

from __future__ import annotations

from typing import Final

from annotator.protocols.realism.scale import REASONS
from annotator.protocols.sheet_format import (
    MOST_SHOWN,
    Cells,
    ReadCells,
    SheetFormat,
    SheetReader,
    meant_by,
    read_payload,
)
from scoring.protocol import Payload
from scoring.realism.protocol import clean

HEADINGS: Final = ("rating", "invalid", "note")
_BY_WORDS: Final = {
    **{reason: reason for reason in REASONS},
    **{title.casefold(): reason for reason, (title, _) in REASONS.items()},
}
_YES: Final = frozenset({"1", "yes", "x", "true"})
_NO: Final = frozenset({"", "0", "no", "false"})
_RATING: Final = "is not a whole number from 1 to 10. Leave it empty for an invalid image"
_INVALID: Final = f"is not one of {', '.join(REASONS)}. Leave it empty for a rated image"


def written(payload: Payload) -> dict[str, str]:
    """Return the texts of a payload by heading."""
    rating = payload["rating"]
    return {
        "rating": "" if rating is None else str(rating),
        "invalid": payload["invalid"] or "",
        "note": payload["note"],
    }


def read(cells: Cells) -> ReadCells:
    """Read a row: `7` and `7.0` are ratings; a reason is its name or its title, in any case.

    Invalid by `yes` or `1` is *other*, whose note says why.
    """
    rating, invalid, note = (cells.get(heading, "").strip() for heading in HEADINGS)
    number, reason = _rating(rating), _reason(invalid)
    problems = []
    if rating and number is None:
        problems.append(("rating", rating[:MOST_SHOWN], _RATING))
    if reason is None:
        problems.append(("invalid", invalid[:MOST_SHOWN], _INVALID))
    if problems:
        return ReadCells(None, tuple(problems))
    payload = {"rating": number, "invalid": reason or None, "note": note}
    texts = {"rating": rating, "invalid": invalid, "note": note}
    return read_payload(clean, payload, {name: name for name in HEADINGS}, texts)


def _rating(text: str) -> int | None:
    """Return a whole number; None without one. Spreadsheets write 7 as 7.0."""
    whole, _, rest = text.replace(",", ".").partition(".")
    return (
        int(whole) if whole.isascii() and whole.isdigit() and len(whole) < 3 and not rest.strip("0") else None
    )


def _reason(text: str) -> str | None:
    """Return the reason, empty for none; None for an unknown text."""
    folded = text.casefold()
    if folded in _NO:
        return ""
    return "other" if folded in _YES else meant_by(text, _BY_WORDS)


SHEET: Final = SheetFormat(
    rule="a whole number from 1 to 10, or a reason under invalid.",
    reader=SheetReader(read, written, HEADINGS),
)
