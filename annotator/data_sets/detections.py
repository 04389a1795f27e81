"""Read a file of detections: one row per image, by file name or content. Nothing is stored here.

Columns: `file` or `sha256`, `persons`, `classes`, `person_confidence`, `moderation`. `classes` is a number,
or the names of the classes found; `moderation` is the highest value, or the values of the labels
(`violence=0.1;nudity=0.93`); both are separated by semicolons. A row that cannot be used refuses the file.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats.csv_tables import CsvTable, Record
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.models import Project
from scoring.data_sets.filters import Detected

VALUES: Final = ("persons", "classes", "person_confidence", "moderation")
NAMES: Final = ("file", "sha256")
MOST_COUNTED: Final = 10_000
LISTED: Final = 20
_WHOLE: Final = re.compile(r"\d{1,9}")


class DetectionsRefused(StudyRefused):
    """The file cannot be used: `notes` are its first problems, of `count`."""

    def __init__(self, name: str, notes: list[RowNote], count: int) -> None:
        told = "; ".join(f"row {note.row}, {note.column}: {note.reason}" for note in notes)
        more = f"; and {count - len(notes):,} more" if count > len(notes) else ""
        several = "1 row" if count == 1 else f"{count:,} rows"
        super().__init__(
            f"{name}: {several} cannot be used, so nothing was stored. {told}{more}.", code="bad_rows"
        )
        self.notes = notes
        self.count = count


def read_detections(path: Path, project: Project) -> dict[int, Detected]:
    """Return what was detected in the images of a project, by their ids.

    Raise StudyRefused if the file is not such a table, OSError if no process can be started to read it, and
    DetectionsRefused naming the rows that are wrong: a value that is no number, not finite, negative or too
    large, an image that is not in the project, or one that has two rows.
    """
    table = table_of_images(path, required=(), optional=VALUES)
    if set(table.records[0].values).isdisjoint(VALUES):
        raise StudyRefused(f"{path.name} has none of the columns {', '.join(VALUES)}.")
    known = KnownImages(project)
    found: dict[int, Detected] = {}
    rows: dict[int, int] = {}
    notes: list[RowNote] = []
    for record in table.records:
        try:
            image = known.image(record)
            if image in rows:
                column = "sha256" if record.values.get("sha256") else "file"
                raise WrongRow(column, record, f"the image already has row {rows[image]}; keep one of them")
            rows[image] = record.number
            found[image] = _detected(record)
        except WrongRow as wrong:
            notes.append(wrong.note)
    if notes and len(notes) == len(table.records) and all(note.reason == _ELSEWHERE for note in notes):
        raise StudyRefused(
            f"None of the {len(notes):,} images of {path.name} is in this project. Is it a file of another "
            "project?",
            code="other_project",
        )
    if notes:
        raise DetectionsRefused(path.name, notes[:LISTED], len(notes))
    return found


def table_of_images(path: Path, *, required: Sequence[str], optional: Sequence[str]) -> CsvTable:
    """Read a table of images, named by `file` or `sha256`, in a process with limits; it has a row at least.

    Raise StudyRefused, and OSError if no process can be started.
    """
    table: CsvTable = read_in_child("image_table", path, required=required, optional=(*NAMES, *optional))
    if not table.records:
        raise StudyRefused(f"{path.name} has no rows.")
    if set(table.records[0].values).isdisjoint(NAMES):
        raise StudyRefused(f"{path.name} lacks the column “file” or “sha256”, which identifies the image.")
    return table


_ELSEWHERE: Final = "no image of this project; delete the row, or add the image first"


class WrongRow(ValueError):
    """A row that cannot be used; `note` says where and why."""

    def __init__(self, column: str, record: Record, reason: str) -> None:
        super().__init__(reason)
        self.note = RowNote(record.number, column, record.values.get(column, "")[:60], reason)


class KnownImages:
    """The images of a project by SHA-256, also that of the uploaded file, and by file name."""

    def __init__(self, project: Project) -> None:
        self._by_content: dict[str, int] = {}
        self._by_path: dict[str, set[int]] = defaultdict(set)
        self._by_name: dict[str, set[int]] = defaultdict(set)
        rows = project.images.order_by("pk").values_list("pk", "sha256", "scaled_from", "source_name")
        for pk, sha256, scaled_from, name in rows.iterator(chunk_size=5000):
            self._by_content[sha256] = pk
            if scaled_from:
                self._by_content.setdefault(scaled_from["sha256"], pk)
            self._by_path[name].add(pk)
            self._by_name[PurePosixPath(name).name].add(pk)

    def image(self, record: Record) -> int:
        """Return the id of a row's image; raise WrongRow."""
        if record.problem:
            raise WrongRow(record.column, record, record.problem)
        content = record.values.get("sha256", "").strip().lower()
        name = record.values.get("file", "").strip()
        if content:
            if content not in self._by_content:
                raise WrongRow("sha256", record, _ELSEWHERE)
            return self._by_content[content]
        if not name:
            raise WrongRow("file", record, "empty; this column names the image")
        found = self._by_path.get(name) or self._by_name.get(PurePosixPath(name).name) or set()
        if len(found) > 1:
            reason = f"{len(found)} images have this name; give its folder, or the column sha256"
            raise WrongRow("file", record, reason)
        if not found:
            raise WrongRow("file", record, _ELSEWHERE)
        return next(iter(found))


def _detected(record: Record) -> Detected:
    persons = _count(record, "persons")
    confidence = _share(record, "person_confidence", _parts(record, "person_confidence"))
    if persons and confidence is None and "person_confidence" in record.values:
        raise WrongRow("person_confidence", record, "empty, but there are persons; expected 0 to 1")
    return Detected(
        persons,
        _classes(record),
        # Without a person, there is no confidence in one.
        0.0 if persons == 0 and confidence is None else confidence,
        _share(record, "moderation", [part.rpartition("=")[2] for part in _parts(record, "moderation")]),
    )


def _parts(record: Record, column: str) -> list[str]:
    return [part.strip() for part in record.values.get(column, "").split(";") if part.strip()]


def _count(record: Record, column: str) -> int | None:
    text = record.values.get(column, "").strip()
    if not text:
        return None
    if not _WHOLE.fullmatch(text) or int(text) > MOST_COUNTED:
        raise WrongRow(column, record, f"“{text[:40]}” is not a whole number from 0 to {MOST_COUNTED:,}")
    return int(text)


def _classes(record: Record) -> int | None:
    parts = _parts(record, "classes")
    if parts and not any(re.match(r"[-+.\d]|nan$|inf", part, re.IGNORECASE) for part in parts):
        return len(set(parts))
    return _count(record, "classes")


def _share(record: Record, column: str, parts: Iterable[str]) -> float | None:
    """Return the largest of the values from 0 to 1; None for an empty cell."""
    found: list[float] = []
    for text in parts:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and 0 <= value <= 1):
            raise WrongRow(column, record, f"“{text.strip()[:40]}” is not a number from 0 to 1")
        found.append(value)
    return max(found, default=None)
