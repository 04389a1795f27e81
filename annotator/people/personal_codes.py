"""Codes that look like a name or an email address: a code stays in the data and is published."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_WORDS: Final = re.compile(r"[^\W\d_]+")
_ROLES: Final = frozenset(
    {"ann", "anno", "annotator", "coder", "control", "demo", "expert", "gold", "grader", "judge", "labeler"}
    | {"labeller", "lead", "participant", "rev", "person", "pilot", "rater", "reviewer", "student", "subject"}
    | {"team", "test", "tester", "user", "worker", "no", "crowd", "mturk", "panel", "prolific"}
)
"""Words that name nobody."""
_FEWEST_LETTERS: Final = 3


def looks_personal(code: str, names: Collection[str] = ()) -> str:
    """Return "email" or "name" if a code looks like one, otherwise an empty text.

    A name is a word without digits that is no usual role, or one of the person's known `names`. It is a
    guess: the code may be confirmed.
    """
    if not code[:1].isalnum():
        return ""  # refused for another reason
    if "@" in code:
        return "email"
    words = [word for word in _WORDS.findall(code) if word.casefold() not in _ROLES]
    known = code.casefold() in {name.casefold() for name in names}
    if any(letter.isdigit() for letter in code) and not known:
        return ""
    return "name" if any(_like_a_name(word) for word in words) else ""


def personal_warning(code: str, found: str) -> str:
    """Return the warning for a code that looks like a `found`."""
    return (
        f"{code} looks like {'an email address' if found == 'email' else 'a name'}. Codes stay in the "
        "data, in exports and in published files, and cannot be changed later."
    )


def _like_a_name(word: str) -> bool:
    # Two letters are initials in Latin script and a whole name in Chinese or Korean.
    return len(word) >= _FEWEST_LETTERS or (len(word) > 1 and not word.isascii())
