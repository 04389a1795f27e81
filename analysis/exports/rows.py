"""One answer with its image and its author, taken apart: what a layout starts from, value by value."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from analysis.exports.chunks import CHUNK, PAYLOAD, SOURCE, SUBMITTED_AT, read_chunks, utc
from analysis.exports.scanning import decoded
from scoring.anatomy.notation import format_cell, read_cell
from scoring.anatomy.taxonomy import CELLS

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class AnswerRow(NamedTuple):
    """One answer; `source` is the row it was imported from, if it was; `submitted_at` as it is written."""

    pk: int
    status: str
    image: int
    generator: str
    prompt: str
    prompt_group: str
    number: int | None
    file_name: str
    sha256: str
    batch: str
    annotator: str
    payload: Mapping[str, Any]
    source: Mapping[str, Any] | None
    submitted_at: str

    @property
    def image_id(self) -> str:
        """The image's id, see `image_id`."""
        return image_id(self.source, self.generator, self.prompt, self.number, self.file_name)

    def cell_texts(self) -> list[str]:
        """Return the 25 cells in the order of the sheet.

        A cell is written as its source wrote it, unreadable terms included, while the answer still says the
        same; in canonical notation where the answer was made here or changed since.
        """
        terms = [(PLACES[mark["type"], mark["part"]], notation(mark)) for mark in self.payload["marks"]]
        return as_written(self.source, cell_texts(terms))


PLACES: Final = {(cell.error_type, cell.body_part): place for place, cell in enumerate(CELLS)}


def image_id(
    source: Mapping[str, Any] | None, generator: str, prompt: str, number: int | None, file_name: str | None
) -> str:
    """The id the imported file gave, or one made in the same way: `dall-e3_couple hugging_01`.

    An image without a number has that of its file's name.
    """
    if source and source.get("image_id"):
        return str(source["image_id"])
    last = f"{number:02d}" if number is not None else PurePath(file_name or "").stem
    return f"{generator}_{prompt}_{last}"


def cell_texts(terms: Iterable[tuple[int, str]]) -> list[str]:
    """The 25 cells in canonical form of terms and the places of their cells: severities in order."""
    texts = [""] * len(CELLS)
    for place, term in sorted(terms, key=lambda each: (each[0], each[1][-1])):
        texts[place] = f"{texts[place]},{term}" if texts[place] else term
    return texts


def as_written(source: Mapping[str, Any] | None, texts: list[str]) -> list[str]:
    """The cells, each as the source wrote it where that means the same."""
    written = (source or {}).get("cells")
    if not written:
        return texts
    return [_kept(str(written.get(cell.heading, "")), text) for cell, text in zip(CELLS, texts, strict=True)]


def notation(mark: Mapping[str, Any]) -> str:
    """A mark as a term of a cell: `1/4c`."""
    return f"{mark['affected']}/{mark['total']}{mark['severity']}"


@lru_cache(maxsize=4096)
def _kept(original: str, text: str) -> str:
    """Return the text a source has for a cell, if that means `text`."""
    return original if original and format_cell(read_cell(original)[0]) == text else text


IMAGE, BATCH = "assignment__image__", "assignment__batch__"
FIELDS: Final = (
    "status",
    "assignment__image_id",
    f"{IMAGE}generator",
    f"{IMAGE}prompt",
    f"{IMAGE}prompt_group",
    f"{IMAGE}number",
    f"{IMAGE}source_name",
    f"{IMAGE}sha256",
    f"{BATCH}name",
    "assignment__annotator__code",
    PAYLOAD,
    SOURCE,
    SUBMITTED_AT,
)


def answer_rows(numbers: array[int], *, drafts: bool) -> Iterator[AnswerRow]:
    """Yield these answers in their order, without drafts unless they are wanted."""
    for start, rows in enumerate(read_chunks(numbers, FIELDS, drafts=drafts)):
        by_number = {row[0]: row for row in rows}
        for number in numbers[start * CHUNK : (start + 1) * CHUNK]:
            if row := by_number.get(number):
                *plain, payload, source, submitted_at = row
                taken_apart = (decoded(payload), source and decoded(source), utc(submitted_at))
                yield AnswerRow._make((*plain, *taken_apart))


def safe(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would run it as a formula."""
    return f"'{text}" if len(text) > 1 and text.startswith(FORMULA_STARTS) else text
