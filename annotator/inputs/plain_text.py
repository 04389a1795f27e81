"""Names as people read them: nothing that hides, turns round or imitates.

Unicode's own names of characters answer. UAX 9 has the signs of direction; from UTS 39 comes the idea that
letters of several scripts that look alike do not stand in one name.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from django.core.exceptions import ValidationError

# What turns the text behind it round. Single marks (U+200E, U+200F) and joiners stay: Arabic, Persian and
# Indic names are written with them.
_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TURNED: Final = "This holds a sign that turns the direction of reading round (such as U+202E). Take it out."
TURNS: Final = "turns the direction of reading round (such as U+202E)"
"""The same as the rest of a sentence, after what it is that does."""
_ALIKE: Final = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
"""Scripts whose letters look like each other's. Han, kana and Hangul rightly stand beside Latin ones."""

_SHAPES: Final = str.maketrans(
    {
        # Cyrillic, then Greek; small letters of which the capital is the one alike are here as well.
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
"""Letters by the Latin ones they look like."""


def turns_text_round(text: str) -> bool:
    """Tell whether a text changes the direction in which it, or what follows it, is read."""
    return not _TURNING.isdisjoint(text)


def check_direction(text: str) -> None:
    """A validator for the inputs of forms: raises ValidationError for a text that turns reading round."""
    if turns_text_round(text):
        raise ValidationError(TURNED, code="turned")


def mixed_scripts(text: str) -> list[str]:
    """Return the scripts whose letters could be taken for each other's, where there are several."""
    names = {unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha()}
    found: list[str] = [script for script in _ALIKE if script in names]
    return found if len(found) > 1 else []


def outline(text: str) -> str:
    """What names that look alike have in common: case, width and look-alikes of other scripts apart."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_SHAPES)
