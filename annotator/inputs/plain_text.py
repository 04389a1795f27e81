"""Refuse texts with characters that change their direction, check reasons, compare names without case.

Based on the direction controls of UAX 9.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from django.core.exceptions import ValidationError

from annotator.inputs.refusal import Refusal

# Controls that change the direction of the following text. Single marks (U+200E, U+200F) and joiners are
# allowed, because Arabic, Persian and Indic names need them.
_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TURNED: Final = "Remove the character that changes the text direction (such as U+202E)."
TURNS: Final = "contains a character that changes the text direction (such as U+202E)"
"""The same, to follow the subject of a sentence."""
LONGEST_REASON: Final = 400


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


class InvalidReason(Refusal, ValueError):
    """The reason is missing, too long or cannot be displayed."""


def checked_reason(reason: str) -> str:
    """Return the reason without surrounding space; raises InvalidReason."""
    why = reason.strip()
    if not why or "\0" in why:
        raise InvalidReason("Enter a reason. It is saved in the project’s history.", "required")
    if len(why) > LONGEST_REASON:
        raise InvalidReason(
            f"The reason has {len(why)} characters. Shorten it to {LONGEST_REASON}.", "max_length"
        )
    if turns_text_round(why):
        raise InvalidReason(TURNED, "turned")
    return why
