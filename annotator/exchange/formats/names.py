"""Names: `stable_cascade`, `stablecascade` and `Stable Cascade` are equal in their normal form.

Names of uploaded files are relative paths, stored only as text and never used on the disk. They are refused
if they would leave the folder of an export, or if a database cannot store them.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

from annotator.inputs.plain_text import TURNS, turns_text_round

LONGEST_NAME: Final = 1000
"""Characters, as in the column."""
MOST_NAME_BYTES: Final = 2600
"""Bytes of UTF-8: an index of PostgreSQL takes rows of 2,704 bytes."""
LONGEST_GROUP: Final = 80
"""Characters of the group of a prompt."""
TABLES: Final = (".csv", ".tsv", ".xlsx")
"""Endings of files beside images that may say what the images show."""

_SEPARATORS: Final = re.compile(r"[/\\]")
_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
# Control characters, surrogates, and line separators.
_NOT_IN_NAMES: Final = ("Cc", "Cs", "Zl", "Zp")
_LEFT_BEHIND: Final = ("__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini", "$recycle.bin", "icon\r")
# Common files beside images. All others are opened, and the content decides.
_NO_PICTURES: Final = (
    ".txt", ".md", ".rst", ".json", ".jsonl", ".xml", ".html", ".htm", ".pdf", ".doc", ".docx", ".xls",
    ".ods", ".odt", ".ini", ".log", ".py", ".ipynb", ".yaml", ".yml", ".toml", ".parquet",
    ".license", ".gitignore", ".gitattributes",
)  # fmt: skip
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


def place_in(folder: Path, file: UUID) -> Path:
    """Return the path of a file, in subfolders because 100,000 names in a folder are slow to list."""
    return folder / file.hex[:2] / file.hex


def is_ignored(name: str) -> bool:
    """Return whether a file is no image by its name: left behind by a system, or of another kind."""
    return is_left_behind(name) or name.casefold().endswith(_NO_PICTURES)


def is_left_behind(name: str) -> bool:
    """Return whether a file is a system file: hidden files, resource forks, thumbnails, folder icons."""
    parts = name.split("/")
    hidden = (part for part in parts if part.startswith(".") and part not in (".", ".."))
    return any(hidden) or any(part.casefold() in _LEFT_BEHIND for part in parts)


def fault_of(name: str) -> str:
    """Return why a relative path is refused, as text after the name; empty if it is valid."""
    if not name.strip():
        return "the name is empty"
    if len(name) > LONGEST_NAME:
        return f"the name has {len(name):,} characters; {LONGEST_NAME:,} are allowed"
    if any(unicodedata.category(each) in _NOT_IN_NAMES for each in name):
        return "the name has control characters"
    if turns_text_round(name):
        return f"the name {TURNS}"
    if len(name.encode()) > MOST_NAME_BYTES:
        return f"the name has {len(name.encode()):,} bytes; {MOST_NAME_BYTES:,} are allowed"
    if name[0] in "/\\" or _DRIVE.match(name):
        return "the name is an absolute path; only relative paths are accepted"
    parts = _SEPARATORS.split(name)
    if ".." in parts:
        return "the name leads out of its folder (“..”)"
    if not parts[-1]:
        return "the name is a folder"
    if "" in parts or "." in parts:
        return "the name has an empty part or “.” between its slashes"
    return ""
