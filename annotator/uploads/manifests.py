"""Manifests among the files of an upload: tables that say what its images show.

They are read by the one reader of tables; rows that cannot be used are reported with the table.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from operator import or_
from pathlib import Path, PurePosixPath
from typing import Any, Final

from django.core.files.storage import default_storage
from django.db.models import Q, QuerySet

from annotator.database.slices import slices
from annotator.database.transactions import write_transaction
from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats.names import LONGEST_GROUP, TABLES, whole_number
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.sheet import LONGEST_GENERATOR
from annotator.exchange.formats.tables import Record, Table
from annotator.exchange.import_jobs import refusals_of_files
from annotator.exchange.which_image import FILE, GENERATOR, NUMBER, PROMPT, SHA256, PathIndex
from annotator.inputs.plain_text import TURNS, turns_text_round
from annotator.models import Upload, UploadedFile
from annotator.uploads.contents import name_of
from annotator.uploads.naming import HAS_MANIFEST, problem, say, shown
from annotator.uploads.receiving import ZIP
from annotator.uploads.status import save_rows
from scoring.prompts import LONGEST_PROMPT

State: Final = UploadedFile.State
_CHUNK: Final = 200
MOST_LISTED: Final = 200
"""Problems of a table that are listed; the rest is counted."""
_GROUP: Final = "prompt_group"
_NAMES: Final = (FILE, SHA256)
_REQUIRED: Final = (GENERATOR, PROMPT, NUMBER)
_OPTIONAL: Final = (*_NAMES, _GROUP)
_COLUMNS: Final = "Give it “file” or “sha256”, “generator”, “prompt” and “number”, and upload it again."
_LONGEST: Final = {GENERATOR: LONGEST_GENERATOR, PROMPT: LONGEST_PROMPT, _GROUP: LONGEST_GROUP}


def is_table() -> Q:
    """Return what files are read as manifests, by their names."""
    return reduce(or_, (Q(name__iendswith=ending) for ending in TABLES))


def read_manifests(upload: Upload, step: Callable[[], None], is_over: Callable[[], bool]) -> bool:
    """Read the received tables: store their data in the images' rows, and set the tables' states.

    Return whether all are read; each takes a process, so a job's time may be up before.
    """
    for table in upload.files.filter(is_table(), state=State.RECEIVED).order_by("pk"):
        step()
        _read(upload, table)
        with write_transaction():
            UploadedFile.objects.filter(pk=table.pk, state=State.RECEIVED).update(
                state=table.state, problem=problem(table.problem), attributes=table.attributes
            )
        if is_over():
            return False
    return True


def _read(upload: Upload, table: UploadedFile) -> None:
    """Set state, problem and listed problems of a table, without saving."""
    try:
        with refusals_of_files(), _under_its_name(upload, table) as path:
            try:
                problems = take_manifest(upload, table.name, path)
            except StudyRefused as refused:
                table.state, table.problem = State.IGNORED, f"Not a manifest: {refused}"
                if "manifest" in PurePosixPath(table.name).stem.casefold():
                    # Its files stay without names: folders must not stand in for what it was to say.
                    table.state = State.REFUSED
                    table.problem = f"The manifest cannot be read: {refused} {_COLUMNS}"
                    _note_manifest(upload)
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
    table: Table = read_in_child(
        "image_table", path, required=_REQUIRED, optional=_OPTIONAL, texts=(_GROUP,), others=True
    )
    if set(_NAMES).isdisjoint(table.columns):
        raise StudyRefused(f"{table.name} has neither the column “{FILE}” nor “{SHA256}”.")
    others = Q(state__in=(State.TABLE, State.ARCHIVE, State.IGNORED, State.STORED)) | Q(format=ZIP)
    waiting = upload.files.exclude(others)
    files = _NamedFiles(waiting, PurePosixPath(name).parent)
    for records in slices(table.records, _CHUNK):
        _say_all(upload, files.named_by(records), table.other_columns)
    _note_manifest(upload)
    return files.problems


def _note_manifest(upload: Upload) -> None:
    with write_transaction():
        current = Upload.objects.select_for_update().get(pk=upload.pk)
        upload.choices = {**current.choices, HAS_MANIFEST: True}
        Upload.objects.filter(pk=upload.pk).update(choices=upload.choices)


class _NamedFiles:
    """The files of an upload as the rows of a manifest name them: by path, by SHA-256, or both."""

    def __init__(self, files: QuerySet[UploadedFile], folder: PurePosixPath) -> None:
        """`folder` is that of the manifest, to which paths may be relative."""
        self._files = PathIndex(files.values_list("name", "pk").iterator())
        self._digests: dict[str, list[int]] = defaultdict(list)
        for digest, pk in files.order_by("pk").values_list("sha256", "pk").iterator():
            self._digests[digest].append(pk)
        self._folder = folder
        self._rows: dict[int, int] = {}
        self.problems: list[str] = []

    def named_by(self, records: Iterable[Record]) -> dict[int, Record]:
        """Return the rows by the primary keys of their files; the others become problems."""
        found: dict[int, Record] = {}
        for record in records:
            path, digest = (record.values[column].strip() for column in _NAMES)
            agreeing, named = self._agreeing(path, digest.lower()), shown(path or digest)
            file = agreeing[0] if len(agreeing) == 1 else None
            row = self._rows.get(file or 0)
            if fault := _fault(record):
                self.problems.append(f"Row {record.number}: {fault}.")
            elif file is None:
                matches = f"matches {len(agreeing)} files" if agreeing else "names no file of this upload"
                self.problems.append(f"Row {record.number}: {named} {matches}.")
            elif row is not None:
                self.problems.append(f"Row {record.number}: {named} is the file of row {row}.")
            else:
                self._rows[file], found[file] = record.number, record
        return found

    def _agreeing(self, path: str, digest: str) -> list[int]:
        """Return the files that everything a row says names; of copies without a path, the first."""
        of_content = self._digests.get(digest, [])
        if not path:
            return of_content[:1]
        # Relative to the manifest first: another folder may hold a file of the same name. The folder of a
        # study's images may be sent under another name.
        below = path.replace("\\", "/").removeprefix("images/")
        places = (self._files.matches(each).agreeing for each in (str(self._folder / path), path, below))
        agreeing = next(filter(None, places), [])
        return [file for file in agreeing if file in of_content] if digest else agreeing


def _fault(record: Record) -> str:
    """Return why a row cannot be used, whatever its file; empty if it can."""
    if record.problem:
        return f"{record.column} {record.problem}".strip()
    for column, value in record.values.items():
        if column in _LONGEST and len(value.strip()) > _LONGEST[column]:
            return f"{column} is longer than {_LONGEST[column]} characters"
        if turns_text_round(value):
            return f"{column} {TURNS}"
    number = record.values[NUMBER].strip()
    if number and whole_number(number) is None:
        return f"number “{number[:40]}” is not a whole number"
    return "" if any(record.values[column].strip() for column in _NAMES) else "file and sha256 are empty"


def _say_all(upload: Upload, records: Mapping[int, Record], attributes: Collection[str]) -> None:
    """Store rows with their files, by primary key; `attributes` are the free columns."""
    with write_transaction():
        files = list(upload.files.filter(pk__in=records).select_for_update().order_by("pk"))
        for file in files:
            texts = {heading: text.strip() for heading, text in records[file.pk].values.items()}
            fields: dict[str, Any] = {name: text for name in _LONGEST if (text := texts.get(name))}
            if (number := whole_number(texts.get(NUMBER, ""))) is not None:
                fields[NUMBER] = number
            say(file, fields, {heading: text for heading in attributes if (text := texts.get(heading))})
        save_rows(files, ["attributes"])


@contextmanager
def _under_its_name(upload: Upload, table: UploadedFile) -> Iterator[Path]:
    """Yield a copy of the table under its own name, which messages quote, in a temporary folder."""
    table.upload = upload
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (PurePosixPath(table.name).name or "table.csv")
        with default_storage.open(name_of(table)) as stored, path.open("xb") as copy:
            shutil.copyfileobj(stored, copy)
        yield path
