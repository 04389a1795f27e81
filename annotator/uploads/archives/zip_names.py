"""Names in zip archives: the bytes of a name, and what is known of its encoding, as text.

The format knows cp437 and, flagged, UTF-8. Programs write others: UTF-8 without the flag (macOS), the
encoding of their country (Windows), or the name once more as UTF-8 in an extra field (Info-ZIP).
"""

from __future__ import annotations

import re
import struct
import zlib
from typing import Final

_UNICODE_PATH: Final = 0x7075
# Kana and kanji; the Latin, Greek and Cyrillic letters of Shift-JIS are what misread names look like.
_JAPANESE: Final = "\u3005\u3007\u3041-\u30ff\u3400-\u9fff\uff66-\uff9f"
# Possessive: a run is taken whole, or the ways to part it double with every other sign of a name.
_JAPANESE_NAME: Final = re.compile(rf"(?:[\x20-\x7e\u3000-\u3002\uff08\uff09]|[{_JAPANESE}]{{2,}}+)++")


def name_of(raw: bytes, *, utf8: bool, extra: bytes) -> str:
    """The name as text; bytes that are no text in any way become cp437, which knows them all."""
    if (path := _unicode_path(raw, extra)) is not None:
        return path
    for encoding in ("utf-8", "cp932"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8" or _JAPANESE_NAME.fullmatch(text):
            return text
    # A name that is said to be UTF-8 and is not: the sign for unreadable characters is more honest.
    return raw.decode("utf-8", "replace") if utf8 else raw.decode("cp437")


def extra_fields(extra: bytes) -> dict[int, bytes]:
    """The extra fields of an entry by their number, the first of each; broken ones end the list."""
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
    """The name that Info-ZIP adds, where it belongs to this name."""
    field = extra_fields(extra).get(_UNICODE_PATH, b"")
    if len(field) <= 5 or field[0] != 1 or struct.unpack_from("<L", field, 1)[0] != zlib.crc32(raw):
        return None
    try:
        return field[5:].decode()
    except UnicodeDecodeError:
        return None
