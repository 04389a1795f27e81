"""One description per column, for a bundle's data dictionary and docs/reference/data-formats.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class ColumnDescription:
    """The description of one column, or of several with the same meaning, in Markdown.

    `only` lists the possible values, if enumerable; `least` is the smallest; `moment` marks a text as a time;
    `shown` names many columns at once.
    """

    names: tuple[str, ...]
    meaning: str
    values: str
    unit: str = ""
    only: tuple[str, ...] = ()
    least: int | None = None
    moment: bool = False
    shown: str = ""

    @property
    def documented(self) -> str:
        """The line of the table in docs/reference/data-formats.md."""
        shown = self.shown or ", ".join(f"`{name}`" for name in self.names)
        return f"| {shown} | {self.meaning} | {self.values} |"


def of(name: str, meaning: str, values: str, **more: object) -> ColumnDescription:
    """Return the entry of one column."""
    return ColumnDescription((name,), meaning, values, **more)  # type: ignore[arg-type]


TAGS: Final = ColumnDescription(
    ("tag_1", "tag_2"),
    "the project's first and second tag, where the annotator ticked it",
    "text: the name of the tag; empty where it is not ticked or the project has none",
)
SHARED: Final = (
    of(
        "Image Id",
        "unique in the project: the id of the imported rows if no other image has it, else generator, prompt "
        "and number joined by `_`",
        "text, `dall-e3_couple hugging_01`",
    ),
    ColumnDescription(
        ("Model", "generator"), "the generator: the text-to-image model that made the image", "text"
    ),
    ColumnDescription(("Prompt", "prompt"), "the prompt it was given", "text"),
    ColumnDescription(
        ("Pic Num.", "number"),
        "the image's number within generator and prompt",
        "whole number from 0; missing if it has none",
        least=0,
    ),
    of("batch", "batch of the assignment", "text"),
    of(
        "status",
        "whether the annotation counts",
        "`submitted`; with drafts included also `draft` and `reopened`",
        only=("submitted", "draft", "reopened"),
    ),
    of(
        "Annotator",
        "the code under which the person appears in this project, or a [pseudonym](#pseudonyms)",
        "text",
    ),
    of(
        "drawn",
        "how the image came to have several annotators",
        "`single`: it has one in this batch; `random`: several by the plan; `targeted`: this annotation was "
        "requested because of earlier ones; `unknown`: imported without this information",
        only=("single", "random", "targeted", "unknown"),
    ),
    of(
        "guideline",
        "the version of the project's guideline in force when the annotation was submitted",
        "text, `1.2`; empty without a published guideline, for drafts and for imports",
    ),
    of(
        "submitted_at",
        "when the annotation was submitted; for imported ones, when they were imported",
        "`2026-03-01T09:30:00Z`, always UTC; empty for drafts",
        moment=True,
    ),
    TAGS,
    of("prompt_group", "the group of the prompt", "text"),
    of("sha256", "SHA-256 of the original image file", "64 hexadecimal digits"),
    of(
        "value",
        "source of the row's scores: one annotation, the mean of several, or an adjudicated value",
        "`single`, `mean`, `adjudicated`; `unread` if no annotation was readable",
        only=("single", "mean", "adjudicated", "unread"),
    ),
    of(
        "annotations",
        "annotations of the image in this file, one per annotator; scores are their mean",
        "count; 0 if no annotation was readable",
        unit="annotations",
        least=0,
    ),
    of("annotators", "their annotators, joined by `; `", "text"),
)


def entry_of(table: str, name: str, entries: Sequence[ColumnDescription]) -> ColumnDescription:
    """Return the entry of a column from the table's own or SHARED; raise LookupError if missing."""
    for entry in (*entries, *SHARED):
        if name in entry.names:
            return entry
    raise LookupError(f"The column {name} of {table} has no description. Add an Entry to its layout.")
