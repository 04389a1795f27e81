"""What every layout starts from: one answer with its image and its author."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from datetime import datetime
from json import JSONDecoder
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from django.db.models import DateTimeField, TextField, Value
from django.db.models.functions import Cast

from analysis.exports.filters import Filters, answers
from annotator.models import Annotation, Project
from scoring.anatomy.notation import format_cell, read_cell
from scoring.anatomy.taxonomy import CELLS, Cell

CHUNK = 500
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class AnswerRow(NamedTuple):
    """One answer; `source` is the row it was imported from, if it was."""

    pk: int
    image: int
    generator: str
    prompt: str
    prompt_group: str
    number: int | None
    file_name: str
    sha256: str
    batch: str
    annotator: str
    status: str
    payload: Mapping[str, Any]
    source: Mapping[str, Any] | None
    submitted_at: datetime | None

    @property
    def image_id(self) -> str:
        """The id the imported file gave, or one made in the same way: `dall-e3_couple hugging_01`."""
        if self.source and self.source.get("image_id"):
            return str(self.source["image_id"])
        last = f"{self.number:02d}" if self.number is not None else PurePath(self.file_name).stem
        return f"{self.generator}_{self.prompt}_{last}"

    def cell_texts(self) -> list[str]:
        """Return the 25 cells in the order of the sheet.

        A cell is written as its source wrote it, unreadable terms included, while the answer still says the
        same; in canonical notation where the answer was made here or changed since.
        """
        found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for mark in self.payload["marks"]:
            found.setdefault((mark["type"], mark["part"]), []).append(mark)
        texts = [""] * len(CELLS)
        for place, marks in found.items():
            texts[PLACES[place]] = _notation(marks)
        written = (self.source or {}).get("cells")
        return [_kept(written, *each) for each in zip(CELLS, texts, strict=True)] if written else texts


PLACES: Final = {(cell.error_type, cell.body_part): place for place, cell in enumerate(CELLS)}


def _notation(marks: list[Mapping[str, Any]]) -> str:
    """Return a cell in canonical form, severities in order."""
    terms = [(mark["severity"], f"{mark['affected']}/{mark['total']}{mark['severity']}") for mark in marks]
    return ",".join([text for _, text in sorted(terms)])


def _kept(written: Mapping[str, str], cell: Cell, text: str) -> str:
    """Return the text a source has for a cell, if that means `text`."""
    original = str(written.get(cell.heading, ""))
    return original if original and format_cell(read_cell(original)[0]) == text else text


STATUS = AnswerRow._fields.index("status")
IMAGE, BATCH = "assignment__image__", "assignment__batch__"
FIELDS = (
    "pk",
    "assignment__image_id",
    f"{IMAGE}generator",
    f"{IMAGE}prompt",
    f"{IMAGE}prompt_group",
    f"{IMAGE}number",
    f"{IMAGE}source_name",
    f"{IMAGE}sha256",
    f"{BATCH}name",
    "assignment__annotator__code",
    "status",
    # As text, decoded one by one: a chunk of objects would keep the collector busy.
    Cast("payload", TextField()),
    Cast("source", TextField()),
)


def answer_rows(
    project: Project, filters: Filters, *, order: tuple[str, ...] = ("pk",), timed: bool = False
) -> Iterator[AnswerRow]:
    """Yield the answers in the order they were stored, or another; a chunk in memory at a time.

    Which answers is found out at the start, what they say when their chunk comes: one that is no longer
    what was asked for is left out. Only `timed` rows know when they were submitted: reading a million
    times costs seconds.
    """
    fields = (*FIELDS, "submitted_at" if timed else Value(None, output_field=DateTimeField()))
    # A database that sorts sorts whole rows, payloads included; numbers alone are small.
    found = answers(project, filters).order_by(*order).values_list("pk", flat=True)
    numbers = array("q", found.iterator(chunk_size=CHUNK))
    for start in range(0, len(numbers), CHUNK):
        chunk = numbers[start : start + CHUNK]
        rows: Any = Annotation.objects.filter(pk__in=list(chunk)).order_by().values_list(*fields)
        by_number = {row[0]: row for row in rows}
        for number in chunk:
            row = by_number.get(number)
            if row and (filters.drafts or row[STATUS] == Annotation.Status.SUBMITTED):
                *plain, payload, source, submitted_at = row
                decoded = (_decoded(payload), source and _decoded(source))
                yield AnswerRow._make((*plain, *decoded, submitted_at))


_decoded: Final = JSONDecoder().decode


def safe(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would run it as a formula."""
    return f"'{text}" if len(text) > 1 and text.startswith(FORMULA_STARTS) else text
