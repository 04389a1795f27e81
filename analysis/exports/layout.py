"""What a layout is: a file of lines with the description of each of its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from analysis.exports.columns import Column, Line
from analysis.exports.entries import Entry, entry_of
from analysis.exports.reading import Reading


@dataclass(frozen=True)
class Layout:
    """A file's columns and where its lines come from.

    `words` is what a page says of it, `rows` what a README says that a row is. `entries` describe the columns
    that are not among those shared by most layouts. Raises LookupError for a column that nobody describes,
    ValueError for two of one name and for an entry that describes none.
    """

    slug: str
    title: str
    words: str
    rows: str
    columns: tuple[Column, ...]
    entries: tuple[Entry, ...]
    lines: Callable[[Reading], Iterator[Line]]
    # The same lines as CSV without their ends, for a layout that writes them faster than value by value.
    csv: Callable[[Reading], Iterator[list[str]]] | None = None
    # The published sheet has no line end after its last row, and the export equals it to the byte.
    ends_last_line: bool = True
    # Drafts may be asked for: a column says what is one.
    marks_drafts: bool = False
    # A stored report is about the whole project.
    of_report: bool = False
    # Every answer of the project is read, whatever the filters.
    reads_all: bool = False
    # Large: a bundle has it in typed columns, too.
    in_parquet: bool = False

    def __post_init__(self) -> None:
        names = self.headings
        if len(set(names)) < len(names):
            raise ValueError(f"the layout {self.slug} has two columns of one name")
        for name in names:
            entry_of(self.slug, name, self.entries)
        if strange := {name for entry in self.entries for name in entry.names} - set(names):
            raise ValueError(f"the layout {self.slug} describes {min(strange)} and has no such column")

    @property
    def headings(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)
