"""Match rows to images, and reject rows that contradict others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from annotator.exchange.formats.report import RowNote
from annotator.exchange.formats.sheet import Sheet, SheetRow
from annotator.exchange.which_image import (
    GENERATOR,
    IMAGE_ID,
    NUMBER,
    PROMPT,
    ImageIndex,
    Naming,
    NoSuchImage,
)
from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.registry import sheet_reader_of

_LISTED: Final = 8
_HEADINGS: Final = {GENERATOR: "Model", PROMPT: "Prompt", NUMBER: "Pic Num.", IMAGE_ID: "Image Id"}
"""The columns of the sheet with the 25 cells by what they say about an image."""


@dataclass(frozen=True)
class MatchedRow:
    """A row and its image."""

    row: SheetRow
    image_id: int


@dataclass(frozen=True)
class Checked:
    """The content of a file, checked against a project.

    `refused` are rejected rows, `newcomers` are codes of annotators unknown to the project, who are added
    with their first row. `is_elsewhere`: every row names an image that the project does not have.
    """

    sheet: Sheet
    matched: tuple[MatchedRow, ...]
    refused: tuple[RowNote, ...]
    newcomers: tuple[str, ...]
    protocol: str
    is_elsewhere: bool

    @property
    def findings(self) -> tuple[RowNote, ...]:
        """The unreadable terms."""
        return tuple(problem for row in self.sheet.rows for problem in row.problems)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON values of `import_answers --lint-only`."""
        return {
            "file": self.sheet.name,
            "rows": {"usable": len(self.matched), "refused": [note.as_json() for note in self.refused]},
            "findings": [finding.as_json() for finding in self.findings],
            "warnings": [note.as_json() for note in self.sheet.warnings],
            "not_read": list(self.sheet.not_read),
            "new_annotators": list(self.newcomers),
        }


def checked_against(sheet: Sheet, project: Project, *, protocol: str = DEFAULT_PROTOCOL) -> Checked:
    """Match the rows of a file to the images of a project: those to import in file order, and the others."""
    index = ImageIndex(project)
    matched: list[MatchedRow] = []
    refused = list(sheet.refused)
    unknown_images, headings = 0, {} if sheet_reader_of(protocol) else _HEADINGS
    by_answer: dict[tuple[str, int], list[SheetRow]] = defaultdict(list)
    for row in sheet.rows:
        named = (row.sha256, row.picture, row.generator, row.prompt, row.number, row.image_id)
        try:
            image = index.image_of(Naming(*named))
        except NoSuchImage as unknown:
            unknown_images += unknown.is_unknown
            column, text = headings.get(unknown.column, unknown.column), unknown.text or row.image_id
            refused.append(RowNote(row.number_in_file, column, text, unknown.reason))
        else:
            if row.picture or row.sha256 or not (row.generator and row.prompt and row.number is not None):
                # Its path or its Image Id alone has matched it: it gets the names of its image.
                row = replace(row, generator=image.generator, prompt=image.prompt, number=image.number)
            by_answer[row.annotator, image.pk].append(row)
    for (annotator, image_id), answers in by_answer.items():
        kept, notes = agreed(
            answers,
            "Annotator",
            f"“{annotator}” has contradictory rows for this image (",
            "): keep one of them",
        )
        refused += notes
        if kept is not None:
            matched.append(MatchedRow(kept, image_id))
    matched.sort(key=lambda match: match.row.number_in_file)
    refused.sort(key=lambda note: note.row or 0)
    known = project.memberships.values_list("code", flat=True)
    newcomers = sorted({match.row.annotator for match in matched} - set(known))
    is_elsewhere = 0 < unknown_images == len(sheet.rows)
    return Checked(sheet, tuple(matched), tuple(refused), tuple(newcomers), protocol, is_elsewhere)


def same_annotation(first: SheetRow, second: SheetRow) -> bool:
    """Return whether two rows have equal cells and rationales, ignoring spacing and order of terms."""
    same = first.terms == second.terms and first.payload == second.payload
    return same and problem_texts(first) == problem_texts(second) and first.rationales == second.rationales


def problem_texts(row: SheetRow) -> Mapping[str, list[str]]:
    """Return the unreadable terms by heading."""
    texts: dict[str, list[str]] = defaultdict(list)
    for problem in row.problems:
        texts[problem.column].append(problem.text)
    return texts


def refusal(row: SheetRow, column: str, reason: str) -> RowNote:
    """Return a note on a row as a whole."""
    named = row.image_id or row.picture or f"{row.generator}, {row.prompt}, {row.number}"
    return RowNote(row.number_in_file, column, named, reason)


def agreed(
    rows: Sequence[SheetRow], column: str, contradiction: str, end: str
) -> tuple[SheetRow | None, list[RowNote]]:
    """Return the first of rows that agree, or None, and notes on the others.

    `contradiction` and `end` stand around the numbers of rows that do not agree.
    """
    first, *others = rows
    if all(same_annotation(first, other) for other in others):
        reason = f"a duplicate of row {first.number_in_file}"
        return first, [refusal(other, column, reason) for other in others]
    listed = ", ".join(str(row.number_in_file) for row in rows[:_LISTED])
    listed += f" and {len(rows) - _LISTED:,} more" if len(rows) > _LISTED else ""
    return None, [refusal(row, column, f"{contradiction}{listed}{end}") for row in rows]
