"""The tables that only bundles have: image files, assignments and the data dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from django.db.models import F

from analysis.bundles.dictionary import Described
from analysis.bundles.source import BundleSource, in_chunks
from analysis.exports.columns import ExportColumn, Kind, Line, columns, csv_text
from analysis.exports.rows import safe
from analysis.exports.shared_columns import MODEL, NUMBER, PROMPT
from annotator.models.counting import is_work

LINES_PER_PIECE: Final = 200
PICTURE_COLUMNS: Final = (
    *columns(Kind.TEXT, "file", "sha256", "format"),
    *columns(Kind.INTEGER, "width", "height"),
    *columns(Kind.TEXT, MODEL, PROMPT, "prompt_group"),
    ExportColumn(NUMBER, Kind.INTEGER),
    ExportColumn("source_name"),
)
PLAN_COLUMNS: Final = (
    *columns(Kind.TEXT, "batch", "sha256", MODEL, PROMPT),
    ExportColumn(NUMBER, Kind.INTEGER),
    ExportColumn("position", Kind.INTEGER),
    *columns(Kind.TEXT, "assignment", "prompt_seen", "generator_seen", "Annotator"),
)


def image_lines(source: BundleSource) -> Iterator[Line]:
    """Yield all images in stored order."""
    fields = ("pk", "sha256", "format", "width", "height", "generator", "prompt", "prompt_group", "number")
    for pk, sha256, form, *rest, name in in_chunks(source.images, *fields, "source_name"):
        yield _safe([source.place_of(pk, sha256, form) or "", sha256, form, *rest, name])


def plan_lines(source: BundleSource) -> Iterator[Line]:
    """Yield the assignments by batch, annotator and position."""
    ordered = source.assignments.filter(is_work()).order_by(
        "batch_id", "annotator_id", F("position").asc(nulls_last=True), "pk"
    )
    image = ("image__sha256", "image__generator", "image__prompt", "image__number")
    seen = {batch.pk: [batch.prompt_was.value, batch.generator_was.value] for batch in source.batches}
    fields = ("batch_id", "batch__name", *image, "position", "status", "annotator__code")
    for batch, *values, code in in_chunks(ordered, *fields):
        yield _safe([*values, *seen[batch], source.name(code)])


def dictionary_lines(tables: Iterable[tuple[str, Sequence[Described]]]) -> Iterator[Line]:
    """Yield a line for every column of the tables."""
    for table, its_columns in tables:
        for one in its_columns:
            yield _safe(one.line(table))


def as_csv(headings: Sequence[ExportColumn], lines: Iterator[Line]) -> Iterator[bytes]:
    """Yield a table as CSV, formatted as exports are."""
    yield csv_text([[column.name for column in headings]]).encode()
    while piece := list(islice(lines, LINES_PER_PIECE)):
        yield csv_text(piece).encode()


def _safe(line: list[Any]) -> Line:
    return [safe(value) if isinstance(value, str) else value for value in line]
