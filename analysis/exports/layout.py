"""A layout: the lines of a file, and its columns under the published or the tidy header."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from analysis.exports.columns import Column, Kind, Line, columns
from analysis.exports.source import ExportSource
from scoring.grid.taxonomy import CELLS

PUBLISHED: Final = "published"
TIDY: Final = "tidy"
HEADERS: Final = (PUBLISHED, TIDY)

TIDY_NAMES: Final[Mapping[str, str]] = {
    "Image Id": "image_id",
    "Model": "generator",
    "Prompt": "prompt",
    "Pic Num.": "number",
    "Annotator": "annotator",
    **{cell.heading: f"{cell.error_type}_{cell.body_part}" for cell in CELLS},
}

ATTRIBUTE: Final = "attribute."
"""Begins the name of the column of an attribute, so that it cannot be that of another column."""


@dataclass(frozen=True)
class Layout:
    """A file's columns and the source of its lines.

    `words` describes it on pages, `rows` describes a row in the README. Raise ValueError for duplicate names,
    and for a column without a meaning.
    """

    slug: str
    title: str
    words: str
    rows: str
    columns: tuple[Column, ...]
    lines: Callable[[ExportSource], Iterator[Line]]
    # The published sheet has no line end after its last row, and the export equals it byte for byte.
    ends_last_line: bool = True
    # Every annotation of the project is read, regardless of filters.
    reads_all: bool = False
    # The annotations are read twice, because a line depends on others.
    reads_twice: bool = False
    # Only with the published header, so that the file can be imported again.
    one_header: bool = False
    # Large, so a bundle also has it as Parquet.
    in_parquet: bool = False
    # It covers the whole project, so filters do not apply.
    whole: bool = False
    # Returns why the file has no rows; empty if it has some.
    why_empty: Callable[[ExportSource], str] | None = None
    # Return the pieces of files that only some layouts have, by format.
    own_formats: Mapping[str, Callable[[ExportSource], Iterator[bytes]]] = field(default_factory=dict)
    # Its lines end with the attributes of the image, which projects have or have not.
    with_attributes: bool = False

    def __post_init__(self) -> None:
        names = self.headings
        if len(set(names)) < len(names):
            raise ValueError(f"the layout {self.slug} has duplicate column names")
        if strange := [column.name for column in self.columns if not column.meaning]:
            raise ValueError(f"the column {strange[0]} of {self.slug} has no meaning")

    def of_attributes(self, names: Sequence[str]) -> Layout:
        """Return the layout with a column for each attribute of the project's images."""
        if not names or not self.with_attributes:
            return self
        headings = (f"{ATTRIBUTE}{name}" for name in names)
        meaning, values = "the attribute of the image", "text; empty without it"
        return replace(
            self, columns=(*self.columns, *columns(Kind.TEXT, *headings, meaning=meaning, values=values))
        )

    @property
    def headings(self) -> tuple[str, ...]:
        """Return the column names."""
        return tuple(column.name for column in self.columns)

    def with_header(self, header: str) -> Layout:
        """Return the layout with the published or the tidy header."""
        if header == PUBLISHED or self.one_header:
            return self
        return replace(
            self, columns=tuple(replace(column, name=tidy_name(column.name)) for column in self.columns)
        )


def tidy_name(heading: str) -> str:
    """Return the name of a column under the tidy header; most columns are tidy already."""
    return TIDY_NAMES.get(heading, heading)
