"""Tables among the files of an upload: manifests, which describe images, and the published annotation sheet.

A manifest is read row by row; unusable rows are reported with the table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Final

from annotator.database.transactions import write_transaction
from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats.csv_tables import MOST_BYTES
from annotator.exchange.formats.manifest import ManifestEntry
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.sheet import Sheet
from annotator.exchange.import_jobs import refusals_of_files
from annotator.exchange.which_image import PathIndex
from annotator.images.decoding import UnreadableImage
from annotator.models import Upload, UploadedFile
from annotator.uploads.bulk_saving import save_rows
from annotator.uploads.names.explicit import HAS_MANIFEST, Who, problem, said_of, say, shown
from annotator.uploads.sources.contents import UploadContents
from annotator.uploads.status import TimeSlice
from annotator.work.machine_faults import check_machine

State: Final = UploadedFile.State
_CHUNK: Final = 200
_MOST_SPELLINGS: Final = 2000
_MOST_FAULTS: Final = 3


def read_tables(upload: Upload, contents: UploadContents, step: Callable[[], None], turn: TimeSlice) -> bool:
    """Read the received tables: store their data in the images' rows, and set the tables' states.

    Return whether all are read; each takes a process, so a job's time may be up before.
    """
    for table in upload.files.filter(state=State.RECEIVED, name__iendswith=".csv").order_by("pk"):
        step()
        state, words = _read(upload, table, contents)
        with write_transaction():
            UploadedFile.objects.filter(pk=table.pk, state=State.RECEIVED).update(
                state=state, problem=problem(words)
            )
        if turn.is_over:
            return False
    return True


def _read(upload: Upload, table: UploadedFile, contents: UploadContents) -> tuple[str, str]:
    try:
        with refusals_of_files(), _on_disk(table, contents) as path:
            try:
                return State.TABLE, take_manifest(upload, table.name, path)
            except StudyRefused as refused:
                # The sheet also lacks a manifest's columns; report only the applicable reason.
                return _take_sheet(upload, path) or (State.IGNORED, f"Not a manifest: {refused}")
    except UnreadableImage as error:
        return State.REFUSED, f"The table cannot be read: {error}."


def take_manifest(upload: Upload, name: str, path: Path) -> str:
    """Store a manifest's data in its files' rows; return its problems, empty if none.

    `name` is its path in the upload, to which files may be relative. Raises StudyRefused.
    """
    faults: list[str] = []
    spelling = _Spellings()
    waiting = upload.files.exclude(state__in=(State.STORED, State.TABLE))
    files = _NamedFiles(PathIndex(waiting.values_list("name", "pk").iterator()), PurePosixPath(name).parent)
    rows = iter(read_in_child("manifest", path))
    while chunk := list(islice(rows, _CHUNK)):
        entries = [entry for entry in chunk if isinstance(entry, ManifestEntry)]
        faults += [entry for entry in chunk if isinstance(entry, str)]
        _say_all(upload, files.named_by(entries))
        for entry in entries:
            spelling.add(entry.generator, entry.prompt)
    spelling.keep(upload)
    _keep(upload, {HAS_MANIFEST: True})
    words = [f"{len(faults)} rows cannot be used: {' '.join(faults[:_MOST_FAULTS])}"] if faults else []
    if files.problems:
        several = "1 row names" if len(files.problems) == 1 else f"{len(files.problems)} rows name"
        listed = "; ".join(files.problems[:_MOST_FAULTS])
        words.append(f"{several} no single file of this upload: {listed}.")
    return " ".join(words)


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
                matched = f" matches {len(agreeing)} files" if agreeing else ""
                self.problems.append(f"row {entry.row} ({shown(entry.file)}{matched})")
            elif file in self._rows:
                row = self._rows[file]
                self.problems.append(f"row {entry.row} ({shown(entry.file)} is the file of row {row})")
            else:
                self._rows[file], found[file] = entry.row, entry
        return found


def _say_all(upload: Upload, entries: Mapping[int, ManifestEntry]) -> None:
    """Store entries in their files' rows, by primary key."""
    with write_transaction():
        files = list(upload.files.filter(pk__in=entries).select_for_update().order_by("pk"))
        for file in files:
            entry = entries[file.pk]
            say(file, Who.MANIFEST, _fields(entry), entry.attributes)
        save_rows(files, ["attributes"])


def _fields(entry: ManifestEntry) -> dict[str, Any]:
    fields = {"generator": entry.generator, "prompt": entry.prompt, "prompt_group": entry.prompt_group}
    said: dict[str, Any] = {name: text for name, text in fields.items() if text}
    return said if entry.number is None else {**said, "number": entry.number}


def _take_sheet(upload: Upload, path: Path) -> tuple[str, str] | None:
    """Read names and numbers from a published annotation sheet; None if the table is not one."""
    try:
        sheet: Sheet = read_in_child("sheet", path)
    except StudyRefused:
        return None
    spelling = _Spellings()
    numbers: dict[str, set[int]] = {}
    for row in sheet.rows:
        spelling.add(row.generator, row.prompt)
        numbers.setdefault("/".join(row.key[:2]), set()).add(row.number)
    spelling.keep(upload)
    _keep(upload, {"annotated": {place: sorted(found) for place, found in numbers.items()}})
    return State.TABLE, (
        "An annotation sheet: names are spelt as in it. After storing the images, upload it again under "
        "Import annotations."
    )


class _Spellings:
    """The names in a table, limited to what an upload's row can hold."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, str]] = {"generators": {}, "prompts": {}}

    def add(self, generator: str, prompt: str) -> None:
        for column, name in (("generators", generator), ("prompts", prompt)):
            names = self._names[column]
            if normal_form(name) and len(names) < _MOST_SPELLINGS:
                names.setdefault(normal_form(name), name)

    def keep(self, upload: Upload) -> None:
        """Add them to the names from the upload's other tables."""
        said = upload.choices.get("spelling", {})
        kept = {
            column: list(dict.fromkeys([*said.get(column, []), *names.values()]))[:_MOST_SPELLINGS]
            for column, names in self._names.items()
        }
        _keep(upload, {"spelling": kept})


def _keep(upload: Upload, choices: Mapping[str, Any]) -> None:
    with write_transaction():
        current = Upload.objects.select_for_update().get(pk=upload.pk)
        upload.choices = {**current.choices, **choices}
        Upload.objects.filter(pk=upload.pk).update(choices=upload.choices)


@contextmanager
def _on_disk(table: UploadedFile, contents: UploadContents) -> Iterator[Path]:
    """Yield the table under its own name, in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (PurePosixPath(table.name).name or "table.csv")
        try:
            path.write_bytes(contents.read(table, MOST_BYTES))
        except OSError as error:
            check_machine(error)
            raise UnreadableImage(error.strerror or "it is missing") from error
        yield path


def match_odd_numbers(upload: Upload, step: Callable[[], None]) -> None:
    """Renumber the only file of a place whose number is not in the sheet, if exactly one number fits.

    As in the import of a study (`annotator.exchange.matching`): `…_018` becomes 8 if a row has 8, no file has
    it, and no other file's number is unknown.
    """
    for place, numbers in upload.choices.get("annotated", {}).items():
        step()
        _match_odd(upload, place, numbers)


def _match_odd(upload: Upload, place: str, numbers: list[int]) -> None:
    generator, prompt = place.split("/")
    spelt = upload.choices["spelling"]
    names = {
        "generator": next((name for name in spelt["generators"] if normal_form(name) == generator), ""),
        "prompt": next((name for name in spelt["prompts"] if normal_form(name) == prompt), ""),
    }
    files = upload.files.filter(**names, number__isnull=False).exclude(sha256="")
    odd = list(files.exclude(number__in=numbers).exclude(state=State.STORED)[:2])
    if len(odd) != 1 or "number" in said_of(odd[0]):
        return
    wanted = set(numbers) - set(files.values_list("number", flat=True))
    fitting = [number for number in wanted if str(odd[0].number).endswith(str(number))]
    if len(fitting) == 1:
        with write_transaction():
            say(odd[0], Who.MANIFEST, {"number": fitting[0]}, {})
            odd[0].number = fitting[0]
            odd[0].save(update_fields=["attributes", "number"])
