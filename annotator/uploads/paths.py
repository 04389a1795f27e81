"""Validate relative paths as file names in uploads and archives.

Names are stored only as text and never used on the disk. They are refused if they would leave the folder of
an export, or if a database cannot store them.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from annotator.inputs.plain_text import TURNS, turns_text_round

LONGEST_NAME: Final = 1000
"""Characters, as in the column."""
MOST_NAME_BYTES: Final = 2600
"""Bytes of UTF-8: an index of PostgreSQL takes rows of 2,704 bytes."""

_SEPARATORS: Final = re.compile(r"[/\\]")
_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
# Control characters, surrogates, and line separators.
_NOT_IN_NAMES: Final = ("Cc", "Cs", "Zl", "Zp")
_LEFT_BEHIND: Final = ("__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini", "$recycle.bin")


def is_left_behind(name: str) -> bool:
    """Return whether a file is a system file: hidden files, resource forks, thumbnails."""
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
    return _fault_of_path(name)


def _fault_of_path(name: str) -> str:
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
