"""Normal forms of names: `stable_cascade`, `stablecascade` and `Stable Cascade` are equal."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

LARGEST_NUMBER: Final = 2_147_483_647
# A spreadsheet may format whole numbers as 1.0.
_WHOLE: Final = re.compile(r"([0-9]+)(?:\.0+)?")
# Normalising sorts each run of combining marks, in time that grows with the square of its length. Both normal
# forms omit the characters of such a run that are not part of a letter, and a letter has a few.
_LONG_RUN: Final = re.compile(r"([^\w\s.-]{30})[^\w\s.-]+")


def normal_form(name: str) -> str:
    """Return the normal form of a name: letters and digits, without case."""
    # Half-width sound marks become combining ones: here already, so that they count as such.
    combining = name.replace("\uff9e", "\u3099").replace("\uff9f", "\u309a")
    folded = normalised("NFKC", combining).casefold()
    return "".join(character for character in folded if character.isalnum())


def normalised(form: Literal["NFC", "NFKC"], name: str) -> str:
    """Return a name in a Unicode normal form, in time that grows with its length; long runs are cut."""
    return name if name.isascii() else unicodedata.normalize(form, _LONG_RUN.sub(r"\1", name))


def prompt_of_folder(folder: str) -> str:
    """Return the prompt of a folder name, with spaces for underscores."""
    return " ".join(folder.replace("_", " ").split())


def whole_number(text: str) -> int | None:
    """Parse a non-negative whole number of a table; None for anything else."""
    match = _WHOLE.fullmatch(text.strip())
    if match is None:
        return None
    digits = match[1].lstrip("0") or "0"
    # By length first: int() raises its own error for thousands of digits.
    number = int(digits) if len(digits) <= len(str(LARGEST_NUMBER)) else LARGEST_NUMBER + 1
    return number if number <= LARGEST_NUMBER else None


def parted_number(name: str) -> tuple[str, int | None]:
    """Split a name such as `sdxl_couple_hugging_01` into its beginning and its number, None without one."""
    start = name.rstrip("0123456789")
    return start, whole_number(name[len(start) :])


def storable(text: str) -> str:
    """Replace characters that a database cannot store."""
    if text.isascii() and "\0" not in text:
        return text
    return "".join("\ufffd" if each == "\0" or "\ud800" <= each <= "\udfff" else each for each in text)


def printable(text: str) -> str:
    """Escape characters that a database cannot store or that move the cursor."""
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in ("Cc", "Cs")
        else character
        for character in text
    )
