"""Exports as bytes, and as files on the disk or in the storage."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

from django.core.files.storage import default_storage
from django.utils import timezone

from analysis.data.counting import REASONS
from analysis.exports.filters import Filters, left_out
from analysis.exports.formats import FORMATS, Format
from analysis.exports.layout import Layout
from analysis.exports.source import ExportSource, Kept, Watch, unwatched
from annotator.images.storage import path_in_storage, save_object
from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL

FOLDER: Final = "exports"
"""The folder of finished exports in the storage."""


class Export:
    """A project's export as pieces of a file; `lines` counts the rows so far."""

    def __init__(
        self,
        project: Project,
        layout: Layout,
        form: Format = FORMATS["csv"],
        *,
        protocol: str = DEFAULT_PROTOCOL,
        filters: Filters | None = None,
        hidden: bool = False,
        watch: Watch = unwatched,
        kept: Kept | None = None,
    ) -> None:
        self._reading = ExportSource(
            project,
            filters or Filters(),
            form.dialect,
            hidden=hidden,
            protocol=protocol,
            watch=watch,
            kept=kept,
        )
        self._layout = layout.of_attributes(self._reading.attributes if layout.with_attributes else ())
        self._format = form

    @property
    def lines(self) -> int:
        """Return the number of rows so far without the header."""
        return self._reading.lines

    def why_empty(self) -> str:
        """Return why the file has no rows, as a sentence; empty if it has some, or its layout cannot tell."""
        return self._layout.why_empty(self._reading) if self._layout.why_empty else ""

    def told(self) -> list[str]:
        """Return sentences on what the finished file leaves out and why, or why it is empty."""
        reading = self._reading
        found = Counter(reading.not_counted)
        found.update(left_out(reading.project, reading.filters, reading.source))
        return [*reading.remarks, *sentences(reading.protocol, reading.source, found)]

    def __iter__(self) -> Iterator[bytes]:
        """Yield the file; raise ValueError for invalid weights, ExportRefused for impossible exports."""
        return self._format.pieces(self._layout, self._reading)


def write_whole(pieces: Iterable[bytes], path: Path) -> int:
    """Write the file completely or not at all, replacing an existing one; return its bytes.

    A link stays one: the file it leads to is replaced. A device or a pipe is written to. Raise OSError,
    leaving no partial file, if it cannot be written.
    """
    size = 0

    def counted() -> Iterator[bytes]:
        nonlocal size
        for piece in pieces:
            size += len(piece)
            yield piece

    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            device.writelines(counted())
        return size
    path = path.resolve()
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("xb") as file:
            file.writelines(counted())
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return size


def sentences(protocol: str, source: str, not_counted: Mapping[str, int]) -> list[str]:
    """Return sentences on converted annotations and on those left out, with reasons."""
    said = []
    if source != protocol:
        said.append(f"Annotations made under the protocol {source} are shown as {protocol}.")
    reasons = [f"{count:,} {words}" for name, words in REASONS.items() if (count := not_counted.get(name))]
    if reasons:
        said.append(f"Left out: {'; '.join(reasons)}.")
    return said


def store(name: str, pieces: Iterable[bytes]) -> int:
    """Write a file completely or not at all, replacing an earlier attempt; return its size.

    Raise OSError, or the error of the pieces, leaving nothing under the name.
    """
    target = path_in_storage(name)
    if target is None:
        save_object(name, pieces)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(pieces, target)
    return default_storage.size(name)


def remove_old(age: timedelta, folder: str = FOLDER) -> int:
    """Delete files of a folder older than `age`, including partial ones; return how many."""
    removed, before = 0, timezone.now() - age
    for name in _files(folder):
        with contextlib.suppress(FileNotFoundError):
            if default_storage.get_modified_time(name) < before:
                default_storage.delete(name)
                removed += 1
    return removed


def _files(folder: str) -> Iterator[str]:
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}/{name}" for name in files)
    for inner in folders:
        yield from _files(f"{folder}/{inner}")
