"""Rows about images: faces, detections and outside metrics are columns of one reader.

A kind declares its columns and reads its values from them; which image a row means is the same for all. A
file of these is stored completely or not at all: an image with half of its rectangles would show a face.
Files of annotations are a kind with a reader of its own; of them, all rows that can be used are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.tables import Table
from annotator.exchange.which_image import ImageIndex, KnownImage, NoSuchImage, naming_of
from annotator.inputs.refusal import WrongCell
from annotator.models import Project

LISTED: Final = 20
"""Unusable rows that a refusal names."""
_SHOWN: Final = 80

Found = TypeVar("Found")


class ImageRow(NamedTuple):
    """A row with the image it means, its texts by column, and the SHA-256 it gives, if any."""

    number: int
    image: KnownImage
    values: Mapping[str, str]
    sha256: str


@dataclass(frozen=True)
class CheckedRows(Generic[Found]):
    """A file checked against a project: what it would store, and the unusable rows.

    `counts` say what was matched and what was not, by titles; `shown` are public ids of images with their
    rectangles. `is_elsewhere`: every row names an image that the project does not have. `accepted` is how
    many rows are stored although others are refused, None if all are or none is. `remarks` are lists of notes
    by their titles, `newcomers` codes of annotators who are added, `not_read` headings of unknown columns.
    """

    name: str
    found: Found
    counts: Mapping[str, int]
    refused: tuple[RowNote, ...]
    is_elsewhere: bool = False
    shown: list[list[Any]] = field(default_factory=list)
    accepted: int | None = None
    remarks: Mapping[str, tuple[RowNote, ...]] = field(default_factory=dict)
    newcomers: tuple[str, ...] = ()
    not_read: tuple[str, ...] = ()

    @property
    def can_be_stored(self) -> bool:
        """Whether there is something to store."""
        return not self.refused if self.accepted is None else self.accepted > 0

    @property
    def refusal(self) -> StudyRefused | None:
        """Why nothing can be stored, with the first unusable rows; None if all rows are usable."""
        if not self.refused:
            return None
        first = self.refused[0]
        if self.is_elsewhere:
            return StudyRefused(
                f"Nothing was stored: {self.name} names no image of this project. Is it a file of another "
                f"project? Row {first.row}, for example, names “{first.text}”.",
                code="other_project",
                row=first.row,
            )
        listed = [f"row {note.row}, {note.column}: {note.reason}" for note in self.refused[:LISTED]]
        more = f"; and {len(self.refused) - LISTED:,} more" if len(self.refused) > LISTED else ""
        several = "1 row" if len(self.refused) == 1 else f"{len(self.refused):,} rows"
        return StudyRefused(
            f"{self.name}: {several} cannot be used, so nothing was stored. {'; '.join(listed)}{more}.",
            code="rows",
            row=first.row,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the counts and the unusable rows as JSON values."""
        refused = [note.as_json() for note in self.refused]
        counts, not_read = dict(self.counts), list(self.not_read)
        return {"file": self.name, "counts": counts, "refused": refused, "not_read": not_read}


class Stored(NamedTuple):
    """What became of a file, as sentences, and the rows that were refused while it was stored."""

    words: str
    refused: Sequence[RowNote] = ()


@dataclass(frozen=True)
class RowsKind(Generic[Found]):
    """A kind of fact about images: `title` names it in sentences, `columns` explain the file on its page.

    `check` takes a path, a project and the `check_options` of a request; it raises StudyRefused if a file
    cannot be read, OSError if no process can be started. `store` takes what was checked, the project, who
    stores it, a function that is told the progress, and the `store_options`; it raises a Refusal. `page` is
    the name of the page that shows what is stored, `section` its place in the navigation.
    """

    slug: str
    title: str
    columns: str
    page: str
    section: str
    check: Callable[..., CheckedRows[Found]]
    store: Callable[..., Stored]
    check_options: tuple[str, ...] = ()
    store_options: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """All that a request says about a file."""
        return (*self.check_options, *self.store_options)

    @property
    def reading(self) -> str:
        """The kind of the job that checks a file."""
        return f"read_{self.slug}"

    @property
    def storing(self) -> str:
        """The kind of the job that stores a checked file."""
        return f"store_{self.slug}"


def previewed(project: Project, found: Mapping[int, Any], chosen: Iterable[int]) -> list[list[Any]]:
    """Return the public ids of the chosen images with what was found of them."""
    pks = list(chosen)
    names = dict(project.images.filter(pk__in=pks).values_list("pk", "public_id"))
    return [[str(names[pk]), found[pk]] for pk in pks if pk in names]


class RowReader:
    """The rows of a file, each with its image."""

    def __init__(self, table: Table, index: ImageIndex) -> None:
        self.table = table
        self.name = table.name
        self._index = index
        self.images = index.images
        self._unknown = 0
        self._notes: list[RowNote] = []

    @classmethod
    def of_file(
        cls,
        path: Path,
        project: Project,
        *,
        required: Collection[str] = (),
        optional: Collection[str] = (),
        texts: Collection[str] = (),
        reader: str = "image_table",
    ) -> RowReader:
        """Read a file in a process with limits; raises StudyRefused, or OSError if none can be started."""
        table = read_in_child(reader, path, required=required, optional=optional, texts=texts)
        return cls(table, ImageIndex(project))

    def read(self, take: Callable[[ImageRow], None], *, once: bool = False) -> None:
        """Hand each row with its image to `take`, which raises WrongCell for one that cannot be used.

        `once`: an image may have one row.
        """
        rows: dict[int, int] = {}
        for record in self.table.records:
            described = next(filter(None, (record.values.get(name, "") for name in ("file", "sha256"))), "")
            try:
                if record.problem:
                    raise WrongCell(record.column, record.problem)
                naming = naming_of(record.values)
                image = self._index.image_of(naming)
                first = rows.setdefault(image.pk, record.number)
                if once and first != record.number:
                    raise WrongCell("file", f"the image already has row {first}; keep one of them")
                take(ImageRow(record.number, image, record.values, naming.sha256))
            except (NoSuchImage, WrongCell) as wrong:
                self._unknown += isinstance(wrong, NoSuchImage) and wrong.is_unknown
                text = described or record.values.get(wrong.column, "")
                shown = printable(text.strip()[:_SHOWN])
                self._notes.append(RowNote(record.number, wrong.column, shown, wrong.reason))

    def checked(self, found: Found, counts: Mapping[str, int], **more: Any) -> CheckedRows[Found]:
        """Return what the file would store, with the rows that cannot be used and the columns left out."""
        return CheckedRows(
            self.name,
            found,
            counts,
            tuple(self._notes),
            is_elsewhere=self._unknown == len(self.table.records),
            not_read=self.table.other_columns,
            **more,
        )
