"""Unpack an uploaded zip archive; runs in the process that reads files (`exchange.child_process`).

Nothing is written under a name of the archive: an entry becomes a file named by the archive and its position.
Entries that overlap, lie about their size or unpack to much more than they have are refused: the supported
versions of `zipfile` read entries that share bytes (CVE-2024-0450).
"""

from __future__ import annotations

import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from uuid import UUID, uuid5

from annotator.exchange.formats.names import (
    LONGEST_NAME,
    fault_of,
    is_ignored,
    is_left_behind,
    place_in,
    printable,
)
from annotator.exchange.formats.report import StudyRefused

MOST_EXPANSION: Final = 200
"""Maximum expansion of an entry. Images are already compressed; tables expand 20 times."""
MOST_EXPANSION_TOGETHER: Final = 50
"""Maximum expansion of the archive."""
FINE: Final = 1024 * 1024
FINE_TOGETHER: Final = 256 * FINE
"""Bytes below which the expansion of an entry, or of the archive, is not checked."""
CODE_PAGES: Final = {
    "cp437": "Western Europe (DOS)",
    "cp1252": "Western Europe (Windows)",
    "cp852": "Central Europe (DOS)",
    "cp866": "Cyrillic (DOS)",
    "cp1251": "Cyrillic (Windows)",
    "cp932": "Japanese",
    "gbk": "Chinese, simplified",
    "cp950": "Chinese, traditional",
    "cp949": "Korean",
}
"""What names in a zip without Unicode may be written in, by Python's name of the encoding."""

_UTF8: Final = 0x0800
_ENCRYPTED: Final = 0x0001 | 0x0040 | 0x2000
_LOCAL_HEADER: Final = 30
_PIECE: Final = 1024 * 1024
_METHODS: Final = {9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz", 98: "PPMd", 99: "AES"}
_ARCHIVES: Final = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".jar", ".cbz")
_WAY_OUT: Final = "Create it again, or upload the files themselves."
_FAULTS: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    OverflowError,
)  # fmt: skip


class Entry(NamedTuple):
    """One file of an archive: its position, name and declared bytes.

    `problem` is the reason for refusing it, as text after its name; `ignored` marks files that are no images,
    `is_left_behind` those of them that a system has left.
    """

    position: int
    name: str
    size: int
    problem: str
    ignored: bool
    is_left_behind: bool


def unpack(
    path: Path, *, folder: str, key: str, most_bytes: int, most_files: int, reserve: int, encoding: str = ""
) -> dict[str, list[tuple[object, ...]]]:
    """Write the entries of an archive below `folder`, where `key` and their index place them.

    Returns the fields of each Entry as `entries`; or, as `asked`, (code page, a name read by it) for names
    that say no encoding, which are then to be read by `encoding`. Entries over `most_bytes` are refused, more
    than `most_files` refuse the archive; `reserve` bytes are left free on the disk. Raises StudyRefused.
    """
    try:
        archive = zipfile.ZipFile(path)
    except _FAULTS as error:
        raise StudyRefused(f"It is not a zip archive, or it is truncated. {_WAY_OUT}") from error
    with archive:
        infos = archive.infolist()
        if len(infos) > most_files:
            raise StudyRefused(f"It has more than {most_files:,} entries. Split it into several.")
        names = [_name_of(info, encoding) for info in infos]
        if None in names:
            return {"asked": list(_readings(infos))}
        plain = [name or "" for name in names]
        problems = _problems(archive, plain, most_bytes)
        fitting = (
            info.file_size
            for name, info, problem in zip(plain, infos, problems, strict=True)
            if not problem and not is_ignored(name)
        )
        _require_room(path, Path(folder), sum(fitting), reserve)
        entries = [tuple(entry) for entry in _entries(archive, plain, problems, Path(folder), UUID(key))]
    os.sync()  # the archive is removed once its entries have rows
    return {"entries": entries}


def _entries(
    archive: zipfile.ZipFile, names: Sequence[str], problems: Sequence[str], folder: Path, key: UUID
) -> Iterator[Entry]:
    for index, (name, info) in enumerate(zip(names, archive.infolist(), strict=True)):
        if name.endswith("/") and not info.file_size:
            continue
        ignored, problem = is_ignored(name), problems[index]
        if not ignored and not problem:
            problem = _written(archive, info, place_in(folder, uuid5(key, str(index))))
        shown = printable(name)[:LONGEST_NAME]
        yield Entry(index, shown, info.file_size, problem, ignored, is_left_behind(name))


def _written(archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path) -> str:
    """Write an entry; return why it is refused, with nothing kept; empty if it is not."""
    place.parent.mkdir(parents=True, exist_ok=True)
    length = 0
    try:
        with archive.open(info) as entry, place.open("wb") as target:
            while piece := entry.read(_PIECE):
                length += len(piece)
                target.write(piece)
    except _FAULTS as error:
        place.unlink(missing_ok=True)
        return f"it is damaged ({str(error)[:80] or 'truncated'}); create the archive again"
    if length != info.file_size:
        place.unlink()
        return f"it has {length:,} bytes but declares {info.file_size:,}; create the archive again"
    return ""


def _problems(archive: zipfile.ZipFile, names: Sequence[str], most_bytes: int) -> list[str]:
    """Return why each entry is refused, as text after its name; empty if it is not, or is ignored."""
    counts, end = Counter(names), archive.start_dir
    overlapping = _sharing_bytes(archive.infolist(), end)

    def problem(index: int, name: str, info: zipfile.ZipInfo) -> str:
        if is_ignored(name):
            return ""
        if found := fault_of(name) or _fault_of_kind(name, info):
            return found
        if info.volume:
            return "it is in another part of the archive; join the parts first"
        if _least_end(info) > end or info.header_offset < 0:
            return "its bytes lie outside the archive, which is truncated or forged"
        if index in overlapping:
            return "it shares bytes with another entry, which ordinary programs never do"
        if counts[name] > 1:
            return "the archive has this name more than once"
        if info.file_size > most_bytes:
            return f"it has {info.file_size:,} bytes; the limit is {most_bytes:,}"
        if info.file_size > max(FINE, MOST_EXPANSION * info.compress_size):
            return f"its {info.compress_size:,} bytes would unpack to {info.file_size:,}"
        return ""

    return [problem(index, *entry) for index, entry in enumerate(zip(names, archive.infolist(), strict=True))]


def _fault_of_kind(name: str, info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted; create the archive without a password"
    if stat.S_ISLNK(kind):
        return "it is a link; links are not followed"
    if kind not in (0, stat.S_IFREG):
        return "it is not a regular file"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        method = _METHODS.get(info.compress_type, f"method {info.compress_type}")
        return f"it is compressed with {method}; create an ordinary zip archive (stored or deflate)"
    if name.casefold().endswith(_ARCHIVES):
        return "it is an archive inside an archive; unpack it and upload its files"
    return ""


def _sharing_bytes(infos: Sequence[zipfile.ZipInfo], end: int) -> frozenset[int]:
    """Return the indexes of entries that share bytes with another, ignoring those past the end."""
    sharing: set[int] = set()
    furthest, reaches = -1, 0
    inside = [index for index, info in enumerate(infos) if _least_end(info) <= end]
    for index in sorted(inside, key=lambda index: infos[index].header_offset):
        if furthest >= 0 and infos[index].header_offset < reaches:
            sharing.update((index, furthest))
        if _least_end(infos[index]) > reaches:
            furthest, reaches = index, _least_end(infos[index])
    return frozenset(sharing)


def _least_end(info: zipfile.ZipInfo) -> int:
    """Return the earliest end of an entry's bytes: its own header may have further fields."""
    return info.header_offset + _LOCAL_HEADER + len(_raw_name(info)) + info.compress_size


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437", "surrogatepass")


def _name_of(info: zipfile.ZipInfo, encoding: str) -> str | None:
    """Return the name with slashes; None if neither the archive nor `encoding` says how to read it."""
    raw = _raw_name(info)
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        if not encoding:
            return None
        name = raw.decode(encoding, "replace")
    return name if "/" in name else name.replace("\\", "/")


def _readings(infos: Sequence[zipfile.ZipInfo]) -> Iterator[tuple[str, str]]:
    """Yield the code pages that can read all names, each with the first name that needs one."""
    unread = [_raw_name(info) for info in infos if _name_of(info, "") is None]
    for encoding in CODE_PAGES:
        try:
            names = [raw.decode(encoding) for raw in unread]
        except UnicodeDecodeError:
            continue
        yield encoding, printable(names[0])[-80:]


def _require_room(path: Path, folder: Path, total: int, reserve: int) -> None:
    size = path.stat().st_size
    if total > max(FINE_TOGETHER, MOST_EXPANSION_TOGETHER * size):
        raise StudyRefused(f"Its {size:,} bytes would unpack to {total:,}. Upload the files themselves.")
    free = shutil.disk_usage(folder).free - reserve
    if total > free:
        raise StudyRefused(
            f"It unpacks to {total:,} bytes, but the server has {max(free, 0):,} free for uploads. "
            "Discard uploads that are no longer needed, or ask the administrator of the server."
        )
