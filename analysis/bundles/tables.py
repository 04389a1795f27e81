"""The tables of a bundle: all layouts of all protocols, and tables that only bundles have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

from django.db.models import F

from analysis.bundles.dictionary import DICTIONARY, DICTIONARY_COLUMNS, PICTURES, PLAN, Described, described
from analysis.bundles.rows import safe_line
from analysis.bundles.source import BundleSource, in_chunks
from analysis.exports.columns import CSV, ExportColumn, Kind, Line, columns, csv_text
from analysis.exports.files import Export
from analysis.exports.formats.formats import FORMATS
from analysis.exports.layout import Layout
from analysis.exports.registry import layouts_of
from analysis.exports.shared_columns import MODEL, NUMBER, PROMPT
from annotator.models.counting import is_work
from scoring.formula_guard import guarded

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
    *columns(Kind.TEXT, "assignment", "prompt_seen", "generator_seen", "zoom"),
    ExportColumn("zoom_seconds", Kind.NUMBER),
    ExportColumn("Annotator"),
)


def image_lines(source: BundleSource) -> Iterator[Line]:
    """Yield all images in stored order."""
    fields = ("pk", "sha256", "format", "width", "height", "generator", "prompt", "prompt_group", "number")
    for pk, sha256, form, *rest, name in in_chunks(source.images, *fields, "source_name"):
        yield safe_line([source.place_of(pk, sha256, form) or "", sha256, form, *rest, name])


def plan_lines(source: BundleSource) -> Iterator[Line]:
    """Yield the assignments by batch, annotator and position."""
    ordered = source.assignments.filter(is_work()).order_by(
        "batch_id", "annotator_id", F("position").asc(nulls_last=True), "pk"
    )
    image = ("image__sha256", "image__generator", "image__prompt", "image__number")
    seen = {batch.pk: [batch.prompt_was.value, batch.generator_was.value] for batch in source.batches}
    capture = [f"annotation__capture__{key}" for key in ("opened_at", "zoom", "zoom_ms")]
    fields = ("batch_id", "batch__name", *image, "position", "status", *capture, "annotator__code")
    for batch, *values, opened, zoom, milliseconds, code in in_chunks(ordered, *fields):
        zoomed = _zoomed(opened, zoom, milliseconds)
        yield safe_line([*values, *seen[batch], *zoomed, source.name(code)])


def _zoomed(opened: str | None, zoom: str | None, milliseconds: float | None) -> Line:
    """Return what was allowed and for how many seconds it was used; the page notes neither without zoom."""
    if not (opened or zoom):
        return ["", None]
    return [zoom or "none", CSV.number(round(milliseconds or 0), 1000)]


def dictionary_lines(tables: Iterable[tuple[str, Sequence[Described]]]) -> Iterator[Line]:
    """Yield a line for every column of the tables."""
    for table, its_columns in tables:
        for one in its_columns:
            yield safe_line(one.line(table))


def as_csv(headings: Sequence[ExportColumn], lines: Iterator[Line]) -> Iterator[bytes]:
    """Yield a table as CSV, formatted as exports are."""
    yield csv_text([[column.name for column in headings]]).encode()
    while piece := list(islice(lines, LINES_PER_PIECE)):
        yield csv_text(piece).encode()


@dataclass(frozen=True)
class DataTable:
    """One table by its file name in `data/`; `made` returns the file in a format."""

    name: str
    title: str
    columns: Sequence[Described]
    made: Callable[[str], Iterable[bytes]]
    forms: tuple[str, ...] = ("csv",)

    def file(self, form: str) -> str:
        """Return the name of the table's file in a format."""
        return f"data/{self.name}.{form}"


def data_tables(source: BundleSource) -> list[DataTable]:
    """Return the tables in name order."""
    tables = [
        _of_layout(source, protocol, layout)
        for protocol in source.protocols
        for layout in layouts_of(protocol).values()
    ]
    pictures = described("pictures", PICTURE_COLUMNS, PICTURES)
    plan = described("plan", PLAN_COLUMNS, PLAN)
    tables += [
        DataTable("pictures", "Pictures", pictures, lambda _: as_csv(PICTURE_COLUMNS, image_lines(source))),
        DataTable("plan", "Plan", plan, lambda _: as_csv(PLAN_COLUMNS, plan_lines(source))),
    ]
    own = described("dictionary", DICTIONARY_COLUMNS, DICTIONARY)
    # Its own columns come last.
    listed = [*((one.name, one.columns) for one in _sorted(tables)), ("dictionary", own)]
    dictionary = DataTable(
        "dictionary",
        "Data dictionary",
        own,
        lambda _: as_csv(DICTIONARY_COLUMNS, dictionary_lines(listed)),
    )
    return _sorted([*tables, dictionary])


def _sorted(tables: Iterable[DataTable]) -> list[DataTable]:
    return sorted(tables, key=lambda table: table.name)


def _of_layout(source: BundleSource, protocol: str, layout: Layout) -> DataTable:
    whole = layout.of_attributes(source.attributes)
    return DataTable(
        source.named(protocol, layout.slug),
        source.titled(protocol, layout.title),
        described(layout.slug, whole.columns, whole.entries),
        partial(_export, source, protocol, layout),
        ("csv", "parquet") if layout.in_parquet else ("csv",),
    )


def _export(source: BundleSource, protocol: str, layout: Layout, form: str) -> Iterable[bytes]:
    hidden = source.request.hidden
    return Export(
        source.project,
        layout,
        FORMATS[form],
        protocol=protocol,
        hidden=hidden,
        watch=lambda _: source.alive(),
        kept=source.kept,
    )


MANIFEST: Final = "manifest.csv"
FIELDS: Final = ("file", "generator", "prompt", "number", "prompt_group")
"""The columns that an import reads; all others become attributes of the images."""


def manifest_lines(source: BundleSource) -> Iterator[bytes]:
    """Yield the table of the images whose file is in the bundle, in stored order, with their attributes."""
    attributes = [name for name in source.attributes if name not in FIELDS]
    headings = [ExportColumn(guarded(name)) for name in (*FIELDS, *attributes)]
    yield from as_csv(headings, _lines(source, attributes))


def _lines(source: BundleSource, attributes: list[str]) -> Iterator[Line]:
    rows = in_chunks(source.images, "pk", "sha256", "format", *FIELDS[1:], "attributes")
    for pk, sha256, form, *named, own in rows:
        if file := source.place_of(pk, sha256, form):
            yield safe_line([file, *named, *(own.get(name, "") for name in attributes)])
