"""Cells that a spreadsheet would run as a formula: exports guard them, imports remove the guard."""

from __future__ import annotations

from typing import Final

# Spreadsheets of East Asian systems take full-width signs for the plain ones.
_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Spreadsheets may skip spaces; a guard before the sign is itself guarded, because imports remove one.
_SKIPPED: Final = "' \u00a0\u3000"


def guarded(text: str) -> str:
    """Return the text, with a leading apostrophe if a spreadsheet would run it as a formula."""
    return f"'{text}" if len(text) > 1 and _begins_formula(text) else text


def without_guard(text: str) -> str:
    """Return a cell without the one apostrophe that `guarded` adds."""
    return text[1:] if text[:1] == "'" and _begins_formula(text) else text


def _begins_formula(text: str) -> bool:
    return text.lstrip(_SKIPPED).startswith(_STARTS)
