"""Names as people vary them: `stable_cascade`, `stablecascade` and `Stable Cascade` are one."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LARGEST_NUMBER: Final = 2_147_483_647
_DIGITS: Final = re.compile(r"[0-9]+")
# A spreadsheet that took the column for decimals writes 1.0.
_WHOLE: Final = re.compile(r"([0-9]+)(?:\.0+)?")
# Label Studio puts eight signs before the name of an uploaded file.
_UPLOADED: Final = re.compile(r"[0-9a-f]{8}-(?=.)")
_PICTURE_ENDING: Final = re.compile(r"\.(?:png|jpe?g|webp|gif|bmp|tiff?)$", re.IGNORECASE)
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def normal_form(name: str) -> str:
    """What two spellings of one name have in common: letters and digits, without case."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in folded if character.isalnum())


def prompt_of_folder(folder: str) -> str:
    """A prompt as its folder is called, with spaces for underscores."""
    return " ".join(folder.replace("_", " ").split())


def last_digits(stem: str) -> str:
    """The last run of ASCII digits of a file name without its ending; empty if there is none."""
    runs = _DIGITS.findall(stem)
    return runs[-1] if runs else ""


def whole_number(text: str) -> int | None:
    """A non-negative whole number as a table writes it; None for anything else."""
    match = _WHOLE.fullmatch(text.strip())
    if match is None:
        return None
    digits = match[1].lstrip("0") or "0"
    # By length first: int() refuses thousands of digits with an error of its own.
    number = int(digits) if len(digits) <= len(str(LARGEST_NUMBER)) else LARGEST_NUMBER + 1
    return number if number <= LARGEST_NUMBER else None


def without_guard(text: str) -> str:
    """A name without the apostrophe that exports put before what a spreadsheet would run."""
    return text[1:] if text[:1] == "'" and text[1:2] in _FORMULA_STARTS else text


def without_upload_prefix(name: str) -> str:
    """A file name without the eight hexadecimal digits and hyphen that an upload to Label Studio adds."""
    return _UPLOADED.sub("", name, count=1) if _UPLOADED.match(name) else name


def file_form(name: str) -> str:
    """What two spellings of one file name have in common: uploads lose spaces and punctuation, and case."""
    joined = re.sub(r"\s", "_", unicodedata.normalize("NFC", name).strip())
    return re.sub(r"[^\w.-]", "", joined).casefold()


def file_stem(name: str) -> str:
    """A file name without the ending of a picture; other dots are part of the name."""
    return _PICTURE_ENDING.sub("", name)


def storable(text: str) -> str:
    """The text with the sign for unreadable characters where no database could store what is there."""
    if text.isascii() and "\0" not in text:
        return text
    return "".join("\ufffd" if each == "\0" or "\ud800" <= each <= "\udfff" else each for each in text)


def printable(text: str) -> str:
    """The text with what no database stores, or what moves the cursor, written as an escape."""
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in ("Cc", "Cs")
        else character
        for character in text
    )
