"""Refuse names with hidden, direction-changing or look-alike characters.

Based on Unicode character names, the direction controls of UAX 9, and the mixed-script detection of UTS 39.
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
_ALIKE: Final = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
"""Scripts with letters that look alike. Han, kana and Hangul may be mixed with Latin."""

_SHAPES: Final = str.maketrans(
    {
        # Cyrillic, then Greek, including small letters of which only the capital looks alike.
        "а": "a",
        "в": "b",
        "г": "r",
        "е": "e",
        "ѕ": "s",
        "і": "i",
        "ј": "j",
        "к": "k",
        "м": "m",
        "н": "h",
        "о": "o",
        "р": "p",
        "с": "c",
        "т": "t",
        "у": "y",
        "х": "x",
        "ԛ": "q",
        "ԝ": "w",
        "һ": "h",
        "ԁ": "d",
        "α": "a",
        "β": "b",
        "ε": "e",
        "ζ": "z",
        "η": "h",
        "ι": "i",
        "κ": "k",
        "μ": "m",
        "ν": "v",
        "ο": "o",
        "ρ": "p",
        "τ": "t",
        "υ": "y",
        "χ": "x",
        "ω": "w",
    }
)
"""Letters → the Latin letters they look like."""


def turns_text_round(text: str) -> bool:
    """Tell whether a text changes its own direction or that of the following text."""
    return not _TURNING.isdisjoint(text)


def check_direction(text: str) -> None:
    """Raise ValidationError for a text that changes the text direction; a form validator."""
    if turns_text_round(text):
        raise ValidationError(TURNED, code="turned")


def mixed_scripts(text: str) -> list[str]:
    """Return the scripts of a text with look-alike letters, if there are several."""
    names = {unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha()}
    scripts: list[str] = [script for script in _ALIKE if script in names]
    return scripts if len(scripts) > 1 else []


def outline(text: str) -> str:
    """Return the common form of names that look alike, ignoring case, width and look-alike letters."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_SHAPES)
