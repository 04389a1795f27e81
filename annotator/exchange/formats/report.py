"""The report of an import, also as stable JSON for scripts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from annotator.inputs.refusal import Refusal


class StudyRefused(Refusal):
    """Nothing can be imported; the message names the cause.

    `code` is for programs, if any; `row` is the row at fault, if any.
    """

    def __init__(self, words: str, *, code: str = "", row: int | None = None) -> None:
        super().__init__(words, code)
        self.row = row


@dataclass(frozen=True)
class RowNote:
    """A remark on a cell of a table; `row` counts the header as row 1, None is the whole import."""

    row: int | None
    column: str
    text: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        """Return the remark as JSON values."""
        return dict(vars(self))


@dataclass
class StudyImport:
    """The outcome of one import: of a file of annotations, or of a study's folder with its images.

    `rejected_terms` and `warnings` describe the whole annotation file, including rows already imported.
    `unmatched_rows` are the rejected rows with reasons; `unmatched_images` are the files without a row;
    `rejected_files` are those that are not stored, by `file`, with the `reason`.
    `images` are the keys of the folder's images in the project.
    """

    images_added: int = 0
    images_existing: int = 0
    rejected_files: list[dict[str, str]] = field(default_factory=list)
    annotations_added: int = 0
    annotations_existing: int = 0
    rejected_terms: list[RowNote] = field(default_factory=list)
    warnings: list[RowNote] = field(default_factory=list)
    unmatched_images: list[str] = field(default_factory=list)
    unmatched_rows: list[RowNote] = field(default_factory=list)
    images: set[int] = field(default_factory=set)

    @property
    def did_nothing(self) -> bool:
        """Whether no file and no row was usable or already stored."""
        return not (
            self.images_added or self.images_existing or self.annotations_added or self.annotations_existing
        )

    def as_json(self) -> dict[str, Any]:
        """Return the JSON values of `import_study`."""
        return {
            "images": {
                "added": self.images_added,
                "existing": self.images_existing,
                "rejected": list(self.rejected_files),
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
