"""List and read the entries of uploaded zip archives.

Nothing is unpacked to the disk. Listing reads only the directory; an entry is inflated in pieces, up to its
declared size and the caller's limit, and its checksum is verified.
"""

from __future__ import annotations

import re
import stat
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Final

from django.conf import settings

from annotator.exchange.formats.names import printable
from annotator.uploads.archives.zip_directory import (
    ENCRYPTED,
    ArchiveRefused,
    Directory,
    Header,
    data_start,
    find_directory,
    header_at,
    headers,
)
from annotator.uploads.paths import LONGEST_NAME, fault_of, is_left_behind

__all__ = ["ArchiveEntry", "ArchiveRefused", "EntryRefused", "list_entries", "open_entry"]

MOST_EXPANSION: Final = 200
"""Maximum expansion of an entry. Images are already compressed; tables expand 20 times."""
MOST_EXPANSION_TOGETHER: Final = 50
"""Maximum expansion of the archive."""
FINE: Final = 1024 * 1024
FINE_TOGETHER: Final = 256 * FINE
"""Bytes below which the expansion of an entry, or of the archive, is not checked."""
OUTSIDE: Final = "its bytes lie outside the archive, which is truncated or forged"

_PIECE: Final = 64 * 1024
_STORED: Final = 0
_DEFLATED: Final = 8
_BACKSLASH: Final = re.compile(r"(?<![^\x00-\x7f])\\")
_METHODS: Final = {9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz", 98: "PPMd", 99: "AES"}
_ARCHIVES: Final = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".jar", ".cbz")


class EntryRefused(ArchiveRefused):
    """An entry is refused; the message follows its name."""


@dataclass(frozen=True)
class ArchiveEntry:
    """One file in an archive: `index` is its position, `size` its declared bytes.

    `problem` is the reason for refusing it, as text after its name; `ignored` marks system files. `name` can
    be stored and displayed, even if it is the problem.
    """

    index: int
    name: str
    size: int
    problem: str
    ignored: bool


@dataclass(frozen=True)
class _Contents:
    """The directory in numbers, 24 bytes per entry."""

    directory: Directory
    places: array[int]
    overlapping: frozenset[int]
    doubled: frozenset[int]


def list_entries(path: Path, most_bytes: int | None = None) -> Iterator[ArchiveEntry]:
    """Yield the files in an archive, in order, without folders. Raises ArchiveRefused immediately or never.

    `most_bytes` is the limit per entry; larger ones are listed with a problem.
    """
    contents = _contents_of(path)
    return _entries(path, contents, most_bytes)


def open_entry(path: Path, index: int, max_bytes: int) -> bytes:
    """Return the bytes of a listed entry. Raises EntryRefused, also beyond `max_bytes`."""
    whole = BytesIO()
    for piece in _read_entry(path, index, max_bytes):
        whole.write(piece)
    return whole.getvalue()  # the buffer, not a copy


def _read_entry(path: Path, index: int, max_bytes: int) -> Iterator[bytes]:
    """Yield the bytes of an entry. Raises EntryRefused, for a wrong checksum after the last piece."""
    contents = _contents_of(path)
    with path.open("rb") as file:
        header, _ = header_at(file, contents.places[index], contents.directory.end)
        if problem := _problem(index, header, contents, max_bytes):
            raise EntryRefused(problem)
        start = data_start(file, header)
        if start is None:
            raise EntryRefused("the archive's directory and the entry itself contradict each other")
        if start + header.packed > contents.directory.start:
            raise EntryRefused(OUTSIDE)
        file.seek(start)
        yield from _checked(header, _inflated(file, header))


def _contents_of(path: Path) -> _Contents:
    there = path.stat()
    return _read_contents(path, there.st_size, there.st_mtime_ns)


@lru_cache(maxsize=2)
def _read_contents(path: Path, size: int, changed: int) -> _Contents:  # noqa: ARG001 - they tell versions apart
    """Read the directory once. Raises ArchiveRefused for faults of the whole archive."""
    places, starts, ends, names = array("Q"), array("Q"), array("Q"), array("Q")
    total = 0
    with path.open("rb") as file:
        directory = find_directory(file)
        for header in headers(file, directory):
            if len(places) == settings.MAX_UPLOAD_FILES:
                raise ArchiveRefused(
                    f"The archive has more than {settings.MAX_UPLOAD_FILES:,} entries. Split it into several."
                )
            total += 0 if _problem_of_growth(header) else header.size
            places.append(header.place)
            starts.append(header.local)
            ends.append(header.least_end)
            names.append(_number_of(_name_of(header)))
    if total > max(FINE_TOGETHER, MOST_EXPANSION_TOGETHER * size):
        raise ArchiveRefused(
            f"The archive has {size:,} bytes but unpacks to {total:,}. Upload the files themselves."
        )
    return _Contents(directory, places, _overlapping(starts, ends, directory.start), _doubled(names))


def _overlapping(starts: array[int], ends: array[int], limit: int) -> frozenset[int]:
    """Return the indexes of entries that share bytes with another, ignoring those past the limit."""
    found: set[int] = set()
    furthest, reaches = -1, 0
    inside = (number for number, end in enumerate(ends) if end <= limit)
    for number in sorted(inside, key=starts.__getitem__):
        if furthest >= 0 and starts[number] < reaches:
            found.update((number, furthest))
        if ends[number] > reaches:
            furthest, reaches = number, ends[number]
    return frozenset(found)


def _doubled(names: array[int]) -> frozenset[int]:
    ordered = sorted(names)
    return frozenset(each for each, following in pairwise(ordered) if each == following)


def _number_of(name: str) -> int:
    """Return a hash of eight bytes, because 200,000 names are too long to keep."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _name_of(header: Header) -> str:
    """Return the name, with backslashes of Windows programs replaced."""
    # In a misread Shift-JIS name, a backslash is half of a character.
    return header.name if "/" in header.name else _BACKSLASH.sub("/", header.name)


def _entries(path: Path, contents: _Contents, most_bytes: int | None) -> Iterator[ArchiveEntry]:
    with path.open("rb") as file:
        for index, header in enumerate(headers(file, contents.directory)):
            name = _name_of(header)
            if name.endswith("/") and not header.size:
                continue
            ignored = is_left_behind(name)
            problem = "" if ignored else _problem(index, header, contents, most_bytes)
            shown = printable(name)[:LONGEST_NAME]
            yield ArchiveEntry(index, shown, header.size, problem, ignored)


def _problem(index: int, header: Header, contents: _Contents, most_bytes: int | None) -> str:
    """Return why an entry is refused, as text after its name; empty if it is not."""
    name = _name_of(header)
    return (
        fault_of(name)
        or _problem_of_kind(name, header)
        or _problem_of_place(index, name, header, contents)
        or _problem_of_size(header, most_bytes)
    )


def _problem_of_kind(name: str, header: Header) -> str:
    kind = stat.S_IFMT(header.mode)
    if header.flags & ENCRYPTED:
        return "it is encrypted; create the archive without a password"
    if stat.S_ISLNK(kind):
        return "it is a link; links are not followed"
    if kind not in (0, stat.S_IFREG):
        return "it is not a regular file"
    if header.method not in (_STORED, _DEFLATED):
        method = _METHODS.get(header.method, f"method {header.method}")
        return f"it is compressed with {method}; create an ordinary zip archive (stored or deflate)"
    if name.casefold().endswith(_ARCHIVES):
        return "it is an archive inside an archive; unpack it and upload its files"
    return ""


def _problem_of_place(index: int, name: str, header: Header, contents: _Contents) -> str:
    if header.disk:
        return "it is in another part of the archive; join the parts first"
    if header.least_end > contents.directory.start:
        return OUTSIDE
    if index in contents.overlapping:
        return "it shares bytes with another entry, which ordinary programs never do"
    if contents.doubled and _number_of(name) in contents.doubled:
        return "the archive has this name more than once"
    return ""


def _problem_of_size(header: Header, most_bytes: int | None) -> str:
    if most_bytes is not None and header.size > most_bytes:
        return f"it has {header.size:,} bytes; the limit is {most_bytes:,}"
    return _problem_of_growth(header)


def _problem_of_growth(header: Header) -> str:
    if header.size > max(FINE, MOST_EXPANSION * header.packed):
        return f"its {header.packed:,} bytes would unpack to {header.size:,}"
    return ""


def _inflated(file: BinaryIO, header: Header) -> Iterator[bytes]:
    left = header.packed
    if header.method == _STORED:
        while left and (piece := file.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece
        return
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    while not inflate.eof:
        packed = inflate.unconsumed_tail
        if not packed:
            packed = file.read(min(_PIECE, left))
            left -= len(packed)
        try:
            piece = inflate.decompress(packed, FINE)
        except zlib.error as error:
            raise EntryRefused("its compressed bytes are damaged") from error
        if not packed and not piece:
            raise EntryRefused("its compressed bytes are truncated")
        yield piece


def _checked(header: Header, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the pieces while they match the directory."""
    size = checksum = 0
    for piece in pieces:
        size += len(piece)
        if size > header.size:
            raise EntryRefused(f"it has more than its declared {header.size:,} bytes")
        checksum = zlib.crc32(piece, checksum)
        yield piece
    if size < header.size:
        raise EntryRefused(f"it has {size:,} bytes but declares {header.size:,}")
    if checksum != header.crc:
        raise EntryRefused("its checksum is wrong: the archive is damaged")
