"""What every layout starts from: one answer with its image and its author."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePath
from typing import Any, NamedTuple

from analysis.exports.filters import Filters, answers
from annotator.models import Project
from scoring.anatomy.notation import Term, format_cell, read_cell
from scoring.anatomy.taxonomy import Cell

CHUNK = 500
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

Terms = Mapping[str, tuple[Term, ...]]
"""Cell key -> its marks in the order of severity; cells without marks are absent."""


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
    submitted_at: datetime | None = None

    @property
    def image_id(self) -> str:
        """The id the imported file gave, or one made in the same way: `dall-e3_couple hugging_01`."""
        if self.source and self.source.get("image_id"):
            return str(self.source["image_id"])
        last = f"{self.number:02d}" if self.number is not None else PurePath(self.file_name).stem
        return f"{self.generator}_{self.prompt}_{last}"

    @property
    def terms(self) -> Terms:
        """The marks by cell."""
        found: dict[str, tuple[Term, ...]] = {}
        for mark in self.payload["marks"]:
            key = f"{mark['type']}.{mark['part']}"
            found[key] = (*found.get(key, ()), Term(mark["affected"], mark["total"], mark["severity"]))
        return found

    def cell_text(self, cell: Cell, terms: tuple[Term, ...]) -> str:
        """The cell as its source wrote it, unreadable terms included, while the answer still says `terms`.

        Canonical notation where the answer was made here or changed since.
        """
        written = str((self.source or {}).get("cells", {}).get(cell.heading, ""))
        if written and read_cell(written)[0] == terms:
            return written
        return format_cell(terms)


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
    "payload",
    "source",
)


def answer_rows(
    project: Project, filters: Filters, *, order: tuple[str, ...] = ("pk",), timed: bool = False
) -> Iterator[AnswerRow]:
    """Yield the answers in the order they were stored, or another; a chunk in memory at a time.

    Only `timed` rows know when they were submitted: reading a million times costs seconds.
    """
    fields = (*FIELDS, "submitted_at") if timed else FIELDS
    rows = answers(project, filters).order_by(*order).values_list(*fields)
    yield from (
        map(AnswerRow._make, rows.iterator(chunk_size=CHUNK))
        if timed
        else (AnswerRow(*row) for row in rows.iterator(chunk_size=CHUNK))
    )


def safe(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would run it as a formula."""
    return f"'{text}" if len(text) > 1 and text.startswith(FORMULA_STARTS) else text
