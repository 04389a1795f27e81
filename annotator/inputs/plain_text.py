"""Refuse names with characters that change the direction of text, and compare names without case.

Based on the direction controls of UAX 9.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from django.core.exceptions import ValidationError

# Controls that change the direction of the following text. Single marks (U+200E, U+200F) and joiners are
# allowed, because Arabic, Persian and Indic names need them.
_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TURNED: Final = "Remove the character that changes the text direction (such as U+202E)."
TURNS: Final = "contains a character that changes the text direction (such as U+202E)"
"""The same, to follow the subject of a sentence."""


def turns_text_round(text: str) -> bool:
    """Tell whether a text changes its own direction or that of the following text."""
    return not _TURNING.isdisjoint(text)


def check_direction(text: str) -> None:
    """Raise ValidationError for a text that changes the text direction; a form validator."""
    if turns_text_round(text):
        raise ValidationError(TURNED, code="turned")


def same_form(text: str) -> str:
    """Return the common form of names that differ by case or width only."""
    return unicodedata.normalize("NFKC", text).casefold()
