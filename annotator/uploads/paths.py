"""Which relative paths are taken as names of files, in uploads and in archives alike.

Names are only ever kept as text: nothing on disk is called as somebody else says. They are refused where
they would lead out of a folder once an export writes them, or where no database stores them.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from annotator.inputs.plain_text import TURNS, turns_text_round

LONGEST_NAME: Final = 1000
"""Characters, as the column has them."""
MOST_NAME_BYTES: Final = 2600
"""Of UTF-8: an index of PostgreSQL takes rows of 2,704 bytes."""

_SEPARATORS: Final = re.compile(r"[/\\]")
_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
# Control characters, halves of characters, and the signs that break a line.
_NOT_IN_NAMES: Final = ("Cc", "Cs", "Zl", "Zp")
_LEFT_BEHIND: Final = ("__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini", "$recycle.bin")


def is_left_behind(name: str) -> bool:
    """Tell whether a file is one that systems leave in folders: hidden ones, resource forks, thumbnails."""
    parts = name.split("/")
    hidden = (part for part in parts if part.startswith(".") and part not in (".", ".."))
    return any(hidden) or any(part.casefold() in _LEFT_BEHIND for part in parts)


def fault_of(name: str) -> str:
    """Why a relative path is not taken, in words that follow the name; empty where it is fine."""
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
    return _fault_of_path(name)


def _fault_of_path(name: str) -> str:
    if name[0] in "/\\" or _DRIVE.match(name):
        return "the name is an absolute path; only paths inside the upload are taken"
    parts = _SEPARATORS.split(name)
    if ".." in parts:
        return "the name leads out of its folder (“..”)"
    if not parts[-1]:
        return "the name is that of a folder"
    if "" in parts or "." in parts:
        return "the name has an empty part or “.” between its slashes"
    return ""
