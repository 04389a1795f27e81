"""What an import did, and what it could not take: the JSON that people script."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from annotator.inputs.refusal import Refusal


class StudyRefused(Refusal):
    """Nothing can be imported; the message names the thing at fault, for people.

    `code` is for programs, where there is one; `row` the row at fault, where it is one.
    """

    def __init__(self, words: str, *, code: str = "", row: int | None = None) -> None:
        super().__init__(words, code)
        self.row = row


@dataclass(frozen=True)
class RowNote:
    """One remark on one cell of a table; `row` counts the header as row 1, None is the whole import."""

    row: int | None
    column: str
    text: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        """The remark with its four keys."""
        return {"row": self.row, "column": self.column, "text": self.text, "reason": self.reason}


@dataclass(frozen=True)
class RejectedFile:
    """A file that was not taken; `file` is relative to the study's folder, with slashes."""

    file: str
    reason: str

    def as_json(self) -> dict[str, str]:
        """The file with its two keys."""
        return {"file": self.file, "reason": self.reason}


@dataclass
class StudyImport:
    """The outcome of one import.

    `rejected_terms` and `warnings` describe the whole annotation file, rows already imported included.
    `unmatched_rows` are the rows that became no annotation, each with its reason, their text being the
    Image Id; `unmatched_images` the files of this folder that no row speaks of.
    """

    images_added: int = 0
    images_existing: int = 0
    rejected_files: list[RejectedFile] = field(default_factory=list)
    annotations_added: int = 0
    annotations_existing: int = 0
    rejected_terms: list[RowNote] = field(default_factory=list)
    warnings: list[RowNote] = field(default_factory=list)
    unmatched_images: list[str] = field(default_factory=list)
    unmatched_rows: list[RowNote] = field(default_factory=list)

    @property
    def did_nothing(self) -> bool:
        """Whether no file and no row was usable, not even as one that is there already."""
        return not (
            self.images_added or self.images_existing or self.annotations_added or self.annotations_existing
        )

    def as_json(self) -> dict[str, Any]:
        """The stable shape of `import_study --json`."""
        return {
            "images": {
                "added": self.images_added,
                "existing": self.images_existing,
                "rejected": [file.as_json() for file in self.rejected_files],
            },
            "annotations": {
                "added": self.annotations_added,
                "existing": self.annotations_existing,
                "rejected_terms": [note.as_json() for note in self.rejected_terms],
                "warnings": [note.as_json() for note in self.warnings],
            },
            "unmatched": {
                "images": list(self.unmatched_images),
                "rows": [note.as_json() for note in self.unmatched_rows],
            },
        }
