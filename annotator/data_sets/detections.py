"""Detections of a project's images from a file, one row per image. Nothing is stored here.

Columns: `persons`, `classes`, `person_confidence`, `moderation`. `classes` is a number, or the names of the
classes found; `moderation` is the highest value, or the values of the labels
(`violence=0.1;nudity=0.93`); both are separated by semicolons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.image_rows import CheckedRows, ImageRow, RowReader
from annotator.inputs.numbers import decimal, whole_cell
from annotator.inputs.refusal import WrongCell
from annotator.models import Project
from annotator.models.images import IS_STUDIED
from scoring.data_sets.filters import Detected

VALUES: Final = ("persons", "classes", "person_confidence", "moderation")
MOST_COUNTED: Final = 10_000

Detections = dict[int, Detected]
"""What was detected, by the primary key of the image."""


def check_detections(path: Path, project: Project) -> CheckedRows[Detections]:
    """Read a file and check every row; raises as `RowReader.of_file`."""
    reader = RowReader.of_file(path, project, optional=VALUES)
    if set(reader.table.columns).isdisjoint(VALUES):
        raise StudyRefused(f"{path.name} has none of the columns {', '.join(VALUES)}.")
    detections = Detections()

    def take(row: ImageRow) -> None:
        detections[row.image.pk] = _detected(row, has_confidence="person_confidence" in reader.table.columns)

    reader.read(take, once=True)
    studied = project.images.filter(IS_STUDIED).count()
    counts = {"Images": len(detections), "Images without a row": studied - len(detections)}
    return reader.checked(detections, counts)


def _detected(row: ImageRow, *, has_confidence: bool) -> Detected:
    persons = _count(row, "persons")
    confidence = _share("person_confidence", _parts(row, "person_confidence"))
    if persons and confidence is None and has_confidence:
        raise WrongCell("person_confidence", "empty, but there are persons; expected 0 to 1")
    return Detected(
        persons,
        _classes(row),
        # Without a person, there is no confidence in one.
        0.0 if persons == 0 and confidence is None else confidence,
        _share("moderation", [part.rpartition("=")[2] for part in _parts(row, "moderation")]),
    )


def _parts(row: ImageRow, column: str) -> list[str]:
    return [part.strip() for part in row.values.get(column, "").split(";") if part.strip()]


def _count(row: ImageRow, column: str) -> int | None:
    return whole_cell(column, row.values.get(column, ""), 0, MOST_COUNTED)


def _classes(row: ImageRow) -> int | None:
    parts = _parts(row, "classes")
    if parts and not any(re.match(r"[-+.\d]|nan$|inf", part, re.IGNORECASE) for part in parts):
        return len(set(parts))
    return _count(row, "classes")


def _share(column: str, parts: Iterable[str]) -> float | None:
    """Return the largest of the values from 0 to 1; None for an empty cell."""
    shares: list[float] = []
    for text in parts:
        value = decimal(text)
        if value is None or not 0 <= value <= 1:
            raise WrongCell(column, f"“{text.strip()[:40]}” is not a number from 0 to 1")
        shares.append(value)
    return max(shares, default=None)
