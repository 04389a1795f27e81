"""An opened bundle: its files by name, each verified by its hash.

`annotator.uploads.archives.archives` checks the zip itself; nothing is unpacked to disk.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from analysis.bundles.contents import PROJECT, SUMS
from analysis.bundles.datapackage import BUNDLE, VERSION
from annotator.exchange.formats.budget import MOST_VALUES
from annotator.uploads.archives.archives import ArchiveRefused, list_entries, read_entry
from annotator.work.machine_faults import check_machine

LONGEST_LINE: Final = 4 * 1024 * 1024
"""Bytes: an annotation has at most 256 KB, plus the row it was imported from."""
LARGEST_JSON: Final = 128 * 1024 * 1024
"""Bytes of a report, which may list every image."""
LARGEST_ABOUT: Final = 4 * 1024 * 1024
"""Bytes of project.json, which is read before hashes are verified."""
DEEPEST: Final = 64
"""Values inside each other: what is stored is read by functions that call themselves."""
_SUM: Final = re.compile(r"([0-9a-f]{64})  (.+)")
_PARTS: Final = re.compile(rb'([^"]*)(?:"[^"]*"?)?')
"""What is outside a text, and the text."""
AGAIN: Final = "Export or copy the bundle again."

Watch = Callable[[int, int], None]


class BundleRefused(ValueError):
    """The bundle cannot be restored; the message names file, found and expected value."""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `1 image`, `2 images`."""
    return f"{count:,} {noun if count == 1 else f'{noun}es' if noun.endswith('h') else f'{noun}s'}"


class Opened:
    """A bundle's files. Raises BundleRefused for a file that is not a readable bundle."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        try:
            for entry in list_entries(path):
                if entry.ignored:
                    continue
                if entry.problem:
                    raise BundleRefused(f"{entry.name}: {entry.problem}.")
                self._places[entry.name] = (entry.index, entry.size)
        except ArchiveRefused as refused:
            raise BundleRefused(str(refused)) from refused
        except OSError as error:
            check_machine(error)
            raise BundleRefused(f"{path.name} cannot be read: {error.strerror or error}.") from error
        self._leave_out_folder()
        self._require_ours()

    def has(self, name: str) -> bool:
        """Return whether the file exists."""
        return name in self._places

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield the contents of a file in pieces."""
        if name not in self._places:
            raise BundleRefused(f"{name} is missing. {AGAIN}")
        index, size = self._places[name]
        try:
            yield from read_entry(self._path, index, size)
        except ArchiveRefused as refused:
            raise BundleRefused(f"{name}: {refused}. {AGAIN}") from refused

    def contents(self, name: str, most: int) -> bytes:
        """Return the contents of a file of at most this many bytes."""
        if self._places.get(name, (0, 0))[1] > most:
            found = self._places[name][1]
            raise BundleRefused(f"{name} has {found:,} bytes; the limit is {most:,}.")
        return b"".join(self.pieces(name))

    def object(self, name: str, most: int = LARGEST_JSON) -> dict[str, Any]:
        """Return the JSON object in a file of at most this many bytes."""
        return _object(self.contents(name, most), name)

    def document(self, name: str) -> bytes:
        """Return the bytes of a file that `object` would read."""
        text = self.contents(name, LARGEST_JSON)
        _object(text, name)
        return text

    def rows(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the objects of a JSON Lines file, each with its position as text."""
        for number, line in enumerate(self._lines(name), 1):
            where = f"{name}, line {number}"
            yield where, _object(line, where)

    def verify(self, watch: Watch, checked: int = 0) -> Iterator[int]:
        """Verify every file after the first `checked` by `sha256sums.txt`; yield the number verified.

        Raise BundleRefused naming a changed file.
        """
        left = set(self._places) - {SUMS}
        total, done = sum(size for _, size in self._places.values()), 0
        for number, line in enumerate(self._lines(SUMS), 1):
            found = _SUM.fullmatch(line.decode("utf-8", "replace"))
            if found is None:
                raise BundleRefused(f"{SUMS}, line {number}: expected a SHA-256, two spaces and a file name.")
            name, digest = found[2], hashlib.sha256()
            if self.has(name) and name not in left:
                # Or a long list would have the same file inflated over and over.
                raise BundleRefused(
                    f"{SUMS}, line {number}: {name} is unexpected; every other file is listed once. {AGAIN}"
                )
            left.discard(name)
            if number <= checked:
                done += self._places.get(name, (0, 0))[1]
                continue
            for piece in self.pieces(name):
                digest.update(piece)
                done += len(piece)
                watch(done, total)
            if digest.hexdigest() != found[1]:
                raise BundleRefused(
                    f"{name} was changed: its SHA-256 is {digest.hexdigest()[:12]}…, {SUMS} has "
                    f"{found[1][:12]}…. {AGAIN}"
                )
            yield number
        if left:
            raise BundleRefused(f"{min(left)} is not listed in {SUMS}: it was added later. {AGAIN}")

    def sums_digest(self) -> str:
        """Return the hash of the list of hashes, which identifies the whole bundle."""
        return hashlib.sha256(b"".join(self.pieces(SUMS))).hexdigest()

    def _lines(self, name: str) -> Iterator[bytes]:
        rest = b""
        for piece in self.pieces(name):
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines
            if len(rest) > LONGEST_LINE:
                raise BundleRefused(f"{name}: a line exceeds {LONGEST_LINE:,} bytes.")
        if rest:
            raise BundleRefused(f"{name}: the last line is incomplete, so the file was truncated. {AGAIN}")

    def _leave_out_folder(self) -> None:
        """Strip the top folder that repacking an unpacked bundle often adds."""
        folder = f"{next(iter(self._places), '').split('/')[0]}/"
        if f"{folder}{PROJECT}" in self._places and all(name.startswith(folder) for name in self._places):
            self._places = {name.removeprefix(folder): at for name, at in self._places.items()}

    def _require_ours(self) -> None:
        if PROJECT not in self._places:
            other = "a data package of another program" if self.has("datapackage.json") else "another zip"
            raise BundleRefused(
                f"This is not an Anatomark publication bundle but {other}: {PROJECT} is missing."
            )
        found = self.object(PROJECT, LARGEST_ABOUT)
        if found.get("format") != BUNDLE:
            given = repr(found.get("format"))[:60]
            raise BundleRefused(f"{PROJECT}: the format is {given}; expected {BUNDLE!r}.")
        if found.get("version") != VERSION:
            given = repr(found.get("version"))[:60]
            raise BundleRefused(
                f"{PROJECT}: the bundle has version {given}, but this program reads version {VERSION}. "
                "A later version of the program may read it."
            )


def _object(text: bytes, where: str) -> dict[str, Any]:
    # A list of empty lists takes a hundred times as many bytes in memory.
    values = _commas_and_brackets(text)
    if values > MOST_VALUES and b"\0" not in text:  # not in UTF-16, whose letters may contain a quote
        values = _values(text)
    if values > MOST_VALUES:
        raise BundleRefused(f"{where}: about {values:,} values; the limit is {MOST_VALUES:,}.")
    try:
        found = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BundleRefused(f"{where}: expected JSON, but {error}.") from error
    if not isinstance(found, dict):
        raise BundleRefused(f"{where}: expected an object.")
    if text.count(b"[") + text.count(b"{") > DEEPEST and _is_deep(found):
        raise BundleRefused(f"{where}: more than {DEEPEST} values are nested in each other.")
    return found


def _commas_and_brackets(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _values(text: bytes) -> int:
    """Return the number of values without the commas and brackets in texts, such as those of prompts."""
    plain = text.replace(rb"\\", b"").replace(rb"\"", b"")
    # JSON with more texts than this has too many values among them.
    parts = islice(_PARTS.finditer(plain), 3 * MOST_VALUES)
    return sum(_commas_and_brackets(part[1]) for part in parts)


def _is_deep(found: Any) -> bool:
    level = [found]
    for _ in range(DEEPEST):
        inside = chain.from_iterable(each.values() if isinstance(each, dict) else each for each in level)
        level = [each for each in inside if isinstance(each, dict | list)]
    return bool(level)


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a JSON number")
