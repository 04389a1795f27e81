"""Manifests among the files of an upload: tables that say what its images show.

A manifest is read row by row; unusable rows are reported with the table.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Final

from django.db.models import Q

from annotator.database.transactions import write_transaction
from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats.manifest import ManifestEntry
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.import_jobs import refusals_of_files
from annotator.exchange.which_image import PathIndex
from annotator.models import Upload, UploadedFile
from annotator.uploads.naming import HAS_MANIFEST, problem, say, shown
from annotator.uploads.receiving import ZIP, path_of
from annotator.uploads.status import TimeSlice, save_rows

State: Final = UploadedFile.State
_CHUNK: Final = 200
MOST_LISTED: Final = 200
"""Problems of a table that are listed; the rest is counted."""


def read_manifests(upload: Upload, step: Callable[[], None], turn: TimeSlice) -> bool:
    """Read the received tables: store their data in the images' rows, and set the tables' states.

    Return whether all are read; each takes a process, so a job's time may be up before.
    """
    for table in upload.files.filter(state=State.RECEIVED, name__iendswith=".csv").order_by("pk"):
        step()
        _read(upload, table)
        with write_transaction():
            UploadedFile.objects.filter(pk=table.pk, state=State.RECEIVED).update(
                state=table.state, problem=problem(table.problem), attributes=table.attributes
            )
        if turn.is_over:
            return False
    return True


def _read(upload: Upload, table: UploadedFile) -> None:
    """Set state, problem and listed problems of a table, without saving."""
    try:
        with refusals_of_files(), _under_its_name(upload, table) as path:
            try:
                problems = take_manifest(upload, table.name, path)
            except StudyRefused as refused:
                is_meant = PurePosixPath(table.name).stem.casefold() == "manifest"
                table.state = State.REFUSED if is_meant else State.IGNORED
                table.problem = f"Not a manifest: {refused}"
                return
    except FileNotFoundError:
        table.state, table.problem = State.REFUSED, f"{shown(table.name)} is missing: upload it again."
        return
    several = "1 row has" if len(problems) == 1 else f"{len(problems):,} rows have"
    table.state = State.TABLE
    table.problem = f"{several} no effect: correct the manifest and upload it again." if problems else ""
    table.attributes = {"problems": problems[:MOST_LISTED]}


def take_manifest(upload: Upload, name: str, path: Path) -> list[str]:
    """Store a manifest's data in its files' rows; return what is wrong with its other rows.

    `name` is its path in the upload, to which files may be relative. Raises StudyRefused.
    """
    problems: list[str] = []
    waiting = upload.files.filter(_may_be_image()).exclude(state=State.STORED)
    files = _NamedFiles(PathIndex(waiting.values_list("name", "pk").iterator()), PurePosixPath(name).parent)
    rows = iter(read_in_child("manifest", path))
    while chunk := list(islice(rows, _CHUNK)):
        problems += [entry for entry in chunk if isinstance(entry, str)]
        _say_all(upload, files.named_by(entry for entry in chunk if isinstance(entry, ManifestEntry)))
    with write_transaction():
        current = Upload.objects.select_for_update().get(pk=upload.pk)
        upload.choices = {**current.choices, HAS_MANIFEST: True}
        Upload.objects.filter(pk=upload.pk).update(choices=upload.choices)
    return problems + files.problems


def _may_be_image() -> Q:
    return ~Q(state__in=(State.TABLE, State.ARCHIVE, State.IGNORED)) & ~Q(format=ZIP)


class _NamedFiles:
    """The files of an upload as the rows of a manifest name them, each by one row."""

    def __init__(self, files: PathIndex[int], folder: PurePosixPath) -> None:
        """`folder` is that of the manifest, to which paths may be relative."""
        self._files = files
        self._folder = folder
        self._rows: dict[int, int] = {}
        self.problems: list[str] = []

    def named_by(self, entries: Iterable[ManifestEntry]) -> dict[int, ManifestEntry]:
        """Return the entries by the primary keys of their files; the others become problems."""
        found: dict[int, ManifestEntry] = {}
        for entry in entries:
            # Relative to the manifest first: another folder may hold a file of the same name.
            agreeing = self._files.matches(str(self._folder / entry.file)).agreeing
            agreeing = agreeing or self._files.matches(entry.file).agreeing
            file = agreeing[0] if len(agreeing) == 1 else None
            if file is None:
                matches = f"matches {len(agreeing)} files" if agreeing else "names no file of this upload"
                self.problems.append(f"Row {entry.row}: {shown(entry.file)} {matches}.")
            elif file in self._rows:
                row = self._rows[file]
                self.problems.append(f"Row {entry.row}: {shown(entry.file)} is the file of row {row}.")
            else:
                self._rows[file], found[file] = entry.row, entry
        return found


def _say_all(upload: Upload, entries: Mapping[int, ManifestEntry]) -> None:
    """Store entries in their files' rows, by primary key."""
    with write_transaction():
        files = list(upload.files.filter(pk__in=entries).select_for_update().order_by("pk"))
        for file in files:
            entry = entries[file.pk]
            say(file, _fields(entry), entry.attributes)
        save_rows(files, ["attributes"])


def _fields(entry: ManifestEntry) -> dict[str, Any]:
    fields = {"generator": entry.generator, "prompt": entry.prompt, "prompt_group": entry.prompt_group}
    said: dict[str, Any] = {name: text for name, text in fields.items() if text}
    return said if entry.number is None else {**said, "number": entry.number}


@contextmanager
def _under_its_name(upload: Upload, table: UploadedFile) -> Iterator[Path]:
    """Yield a copy of the table under its own name, which messages quote, in a temporary folder."""
    table.upload = upload
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (PurePosixPath(table.name).name or "table.csv")
        shutil.copyfile(path_of(table), path)
        yield path
