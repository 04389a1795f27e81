"""Match rows to images, and reject rows that contradict others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from annotator.exchange.formats.report import RowNote
from annotator.exchange.formats.sheet import Sheet, SheetRow
from annotator.exchange.which_image import (
    FILE,
    GENERATOR,
    IMAGE_ID,
    NUMBER,
    PROMPT,
    ImageIndex,
    KnownImage,
    Naming,
    NoSuchImage,
)
from annotator.models.work import DEFAULT_PROTOCOL

_LISTED: Final = 8
_HEADINGS: Final = {GENERATOR: "Model", PROMPT: "Prompt", NUMBER: "Pic Num.", IMAGE_ID: "Image Id"}
"""The columns of the sheet by what they say about an image."""


@dataclass(frozen=True)
class MatchedRow:
    """A row and its image."""

    row: SheetRow
    image_id: int


@dataclass(frozen=True)
class Checked:
    """The content of a file, checked against a project.

    `findings` are unreadable terms, `refused` are rejected rows, `newcomers` are codes of annotators unknown
    to the project, who are added with their first row. `knows_images`: a row names an image of the project.
    """

    sheet: Sheet
    matched: tuple[MatchedRow, ...]
    refused: tuple[RowNote, ...]
    findings: tuple[RowNote, ...]
    newcomers: tuple[str, ...]
    protocol: str = DEFAULT_PROTOCOL
    knows_images: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the JSON values of `import_answers --lint-only --json`."""
        return {
            "file": self.sheet.name,
            "rows": {"usable": len(self.matched), "refused": [note.as_json() for note in self.refused]},
            "findings": [finding.as_json() for finding in self.findings],
            "warnings": [note.as_json() for note in self.sheet.warnings],
            "new_annotators": list(self.newcomers),
        }


def match_rows(rows: Iterable[SheetRow], index: ImageIndex) -> tuple[list[MatchedRow], list[RowNote]]:
    """Return the rows to import in file order, and the others with reasons."""
    matched: list[MatchedRow] = []
    refused: list[RowNote] = []
    by_answer: dict[tuple[str, int], list[SheetRow]] = defaultdict(list)
    for row in rows:
        try:
            image = index.image_of(naming_of_row(row))
        except NoSuchImage as unknown:
            column = _HEADINGS.get(unknown.column, unknown.column)
            text = unknown.text if unknown.column == FILE else row.image_id
            refused.append(RowNote(row.number_in_file, column, text, unknown.reason))
        else:
            by_answer[row.annotator, image.pk].append(_with_names_of(image, row))
    for (_, image_id), answers in by_answer.items():
        kept, notes = _one_answer(answers)
        refused += notes
        if kept is not None:
            matched.append(MatchedRow(kept, image_id))
    matched.sort(key=lambda match: match.row.number_in_file)
    return matched, refused


def naming_of_row(row: SheetRow) -> Naming:
    """Return what a row says about its image."""
    return Naming(row.sha256, row.picture, row.generator, row.prompt, row.number, row.image_id)


def _with_names_of(image: KnownImage, row: SheetRow) -> SheetRow:
    """Return the row; one that its path or its Image Id alone has matched gets the names of its image."""
    if not (row.picture or row.sha256) and row.generator and row.prompt and row.number is not None:
        return row
    return replace(row, generator=image.generator, prompt=image.prompt, number=image.number)


def same_annotation(first: SheetRow, second: SheetRow) -> bool:
    """Return whether two rows have equal cells, ignoring spacing and order of terms."""
    same = first.terms == second.terms and first.payload == second.payload
    return same and problem_texts(first) == problem_texts(second)


def problem_texts(row: SheetRow) -> Mapping[str, list[str]]:
    """Return the unreadable terms by heading."""
    texts: dict[str, list[str]] = defaultdict(list)
    for problem in row.problems:
        texts[problem.column].append(problem.text)
    return texts


def refusal(row: SheetRow, column: str, reason: str) -> RowNote:
    """Return a note on a row as a whole."""
    return RowNote(row.number_in_file, column, row.image_id, reason)


def _one_answer(answers: list[SheetRow]) -> tuple[SheetRow | None, list[RowNote]]:
    """Return the row that all rows of one annotator and image agree on; None if they differ."""
    first, *others = answers
    if all(same_annotation(first, other) for other in others):
        reason = f"a duplicate of row {first.number_in_file}"
        return first, [refusal(other, "Annotator", reason) for other in others]
    listed = ", ".join(str(row.number_in_file) for row in answers[:_LISTED])
    listed += f" and {len(answers) - _LISTED:,} more" if len(answers) > _LISTED else ""
    reason = f"“{first.annotator}” has contradictory rows for this image ({listed}): keep one of them"
    return None, [refusal(row, "Annotator", reason) for row in answers]
