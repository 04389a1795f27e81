"""What every layout starts from: one submitted answer with its image and its author."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import PurePath
from typing import Any

from analysis.datasets import submitted
from annotator.models import Project
from scoring.anatomy.notation import Term, format_cell, read_cell
from scoring.anatomy.taxonomy import Cell

CHUNK = 500
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

Terms = Mapping[str, tuple[Term, ...]]
"""Cell key -> its marks in the order of severity; cells without marks are absent."""


@dataclass(frozen=True)
class AnswerRow:
    """One submitted answer; `source` is the row it was imported from, if it was."""

    generator: str
    prompt: str
    number: int | None
    file_name: str
    batch: str
    annotator: str
    submitted_at: datetime
    payload: Mapping[str, Any]
    source: Mapping[str, Any] | None

    @property
    def image_id(self) -> str:
        """The id the imported file gave, or one made in the same way: `dall-e3_couple hugging_01`."""
        if self.source and self.source.get("image_id"):
            return str(self.source["image_id"])
        last = f"{self.number:02d}" if self.number is not None else PurePath(self.file_name).stem
        return f"{self.generator}_{self.prompt}_{last}"

    @cached_property
    def terms(self) -> Terms:
        """The marks by cell."""
        found: dict[str, tuple[Term, ...]] = {}
        for mark in self.payload["marks"]:
            key = f"{mark['type']}.{mark['part']}"
            found[key] = (*found.get(key, ()), Term(mark["affected"], mark["total"], mark["severity"]))
        return found

    def cell_text(self, cell: Cell) -> str:
        """The cell as its source wrote it, unreadable terms included, while the answer still says the same.

        Canonical notation where the answer was made here or changed since.
        """
        written = str((self.source or {}).get("cells", {}).get(cell.heading, ""))
        terms = self.terms.get(cell.key, ())
        if written and read_cell(written)[0] == terms:
            return written
        return format_cell(terms)


def answer_rows(project: Project) -> Iterator[AnswerRow]:
    """Yield the project's submitted answers in the order they were stored, a chunk in memory at a time."""
    image, batch = "assignment__image__", "assignment__batch__"
    fields = (
        f"{image}generator",
        f"{image}prompt",
        f"{image}number",
        f"{image}source_name",
        f"{batch}name",
        "assignment__annotator__code",
        "submitted_at",
        "payload",
        "source",
    )
    for row in submitted(project).order_by("pk").values_list(*fields).iterator(chunk_size=CHUNK):
        yield AnswerRow(*row)


def safe(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would run it as a formula."""
    return f"'{text}" if len(text) > 1 and text.startswith(FORMULA_STARTS) else text
