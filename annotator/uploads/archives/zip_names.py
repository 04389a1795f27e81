"""Decode names in zip archives.

The format allows cp437 and, with a flag, UTF-8. Programs also write UTF-8 without the flag (macOS), a local
encoding (Windows), or a second name as UTF-8 in an extra field (Info-ZIP).
"""

from __future__ import annotations

import re
import struct
import zlib
from typing import Final

_UNICODE_PATH: Final = 0x7075
# Kana and kanji; misread names look like the Latin, Greek and Cyrillic letters of Shift-JIS.
_JAPANESE: Final = "\u3005\u3007\u3041-\u30ff\u3400-\u9fff\uff66-\uff9f"
# Possessive, because backtracking would grow exponentially with the length of a name.
_JAPANESE_NAME: Final = re.compile(rf"(?:[\x20-\x7e\u3000-\u3002\uff08\uff09]|[{_JAPANESE}]{{2,}}+)++")


def name_of(raw: bytes, *, utf8: bool, extra: bytes) -> str:
    """Return the name as text; undecodable bytes are read as cp437, which maps all bytes."""
    if (path := _unicode_path(raw, extra)) is not None:
        return path
    for encoding in ("utf-8", "cp932"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8" or _JAPANESE_NAME.fullmatch(text):
            return text
    # Flagged as UTF-8 but invalid: use replacement characters.
    return raw.decode("utf-8", "replace") if utf8 else raw.decode("cp437")


def extra_fields(extra: bytes) -> dict[int, bytes]:
    """Return the first extra field of each number; a broken one ends the list."""
    found: dict[int, bytes] = {}
    place = 0
    while place + 4 <= len(extra):
        number, length = struct.unpack_from("<HH", extra, place)
        place += 4
        if place + length > len(extra):
            break
        found.setdefault(number, extra[place : place + length])
        place += length
    return found


def _unicode_path(raw: bytes, extra: bytes) -> str | None:
    """Return the name added by Info-ZIP, if it belongs to this name."""
    field = extra_fields(extra).get(_UNICODE_PATH, b"")
    if len(field) <= 5 or field[0] != 1 or struct.unpack_from("<L", field, 1)[0] != zlib.crc32(raw):
        return None
    try:
        return field[5:].decode()
    except UnicodeDecodeError:
        return None
