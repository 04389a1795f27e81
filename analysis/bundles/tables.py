"""The tables of a bundle: all layouts of all protocols, tables of its own, and the data dictionary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from django.db.models import F

from analysis.bundles.source import BundleSource, safe_line
from analysis.exports.columns import (
    CSV,
    LINES_PER_PIECE,
    Column,
    Kind,
    Line,
    columns,
    count,
    csv_text,
    one_of,
)
from analysis.exports.files import Export
from analysis.exports.formats import FORMATS
from analysis.exports.layout import Layout, tidy_name
from analysis.exports.registry import layouts_of
from analysis.exports.rows import in_chunks
from analysis.exports.shared_columns import AUTHOR_COLUMN, BATCH, MODEL, NUMBER, PROMPT, PROMPT_GROUP, SHA256
from annotator.models.counting import is_work
from scoring.formula_guard import guarded

_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TYPES: Final = {Kind.TEXT: "string", Kind.INTEGER: "integer", Kind.NUMBER: "number", Kind.TRUTH: "boolean"}
DICTIONARY_COLUMNS: Final = (
    Column("table", meaning="file in `data/`, without extension"),
    Column("column", meaning="the column's heading"),
    Column(
        "type", meaning="type of the values", values="`string`, `integer`, `number`, `boolean`, `datetime`"
    ),
    Column("meaning", meaning="meaning of the column"),
    Column("unit", meaning="what is counted or measured", values="text; empty without a unit"),
    Column("values", meaning="possible values, and when one is missing"),
    Column("tidy_name", meaning="the column's name in an export with the tidy header"),
)


def line_of(table: str, column: Column) -> list[str]:
    """Return the values of DICTIONARY_COLUMNS."""
    meaning, values = plain(column.meaning), plain(column.values)
    return [table, column.name, _type(column), meaning, column.unit, values, tidy_name(column.name)]


def field_of(column: Column) -> dict[str, Any]:
    """Return the column as a Table Schema field."""
    meaning = plain(column.meaning)
    words = f"{meaning[:1].upper()}{meaning[1:]}. Values: {plain(column.values)}."
    field: dict[str, Any] = {"name": column.name, "type": _type(column), "description": words}
    if column.unit:
        field["unit"] = column.unit
    if column.kind is Kind.TRUTH:
        field |= {"trueValues": ["true"], "falseValues": ["false"]}
    constraints: dict[str, Any] = {"enum": list(column.only)} if column.only else {}
    if column.least is not None and column.kind in (Kind.INTEGER, Kind.NUMBER):
        constraints["minimum"] = column.least
    return field | ({"constraints": constraints} if constraints else {})


def plain(text: str) -> str:
    """Return a Markdown text without links, code and emphasis."""
    return _LINK.sub(r"\1", text).replace("`", "").replace("*", "")


def _type(column: Column) -> str:
    """Return the Table Schema type."""
    return "datetime" if column.moment else _TYPES[column.kind]


PICTURE_COLUMNS: Final = (
    Column(
        "file",
        meaning="path of the image in the bundle",
        values="text, `images/….png`; empty if the bundle has only its hash",
    ),
    SHA256,
    one_of("format", "encoding of the original", ("PNG", "JPEG", "WEBP")),
    *columns(
        Kind.INTEGER,
        *("width", "height"),
        meaning="size after applying the EXIF orientation",
        values="count from 1",
        unit="pixels",
        least=1,
    ),
    *(MODEL, PROMPT, replace(PROMPT_GROUP, values="text; empty if none"), NUMBER),
    Column("source_name", meaning="name of the imported file"),
)
PLAN_COLUMNS: Final = (
    *(BATCH, replace(SHA256, meaning="image, by the SHA-256 of its file"), MODEL, PROMPT, NUMBER),
    count(
        "position",
        "position in the annotator's queue",
        "whole number from 1 in released batches; missing if reassigned to another annotator",
    ),
    one_of("assignment", "status of the assignment", ("open", "done", "skipped", "withdrawn")),
    *columns(
        Kind.TEXT,
        *("prompt_seen", "generator_seen"),
        meaning="whether the annotators of the batch saw the prompt and the generator",
        values="`shown`, `hidden`; `varied`: shown part of the time; `unknown`: imported, not stated",
        only=("shown", "hidden", "varied", "unknown"),
    ),
    one_of(
        "zoom",
        "zoom that the batch allowed when the annotation was last saved",
        ("none", "loupe", "free"),
        "empty without an annotation made on the annotation page",
    ),
    Column(
        "zoom_seconds",
        Kind.NUMBER,
        "for how long the image was enlarged while it was annotated",
        "number; missing without an annotation made on the annotation page",
        unit="seconds",
        least=0,
    ),
    AUTHOR_COLUMN,
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


def as_csv(headings: Sequence[str], lines: Iterator[Line]) -> Iterator[bytes]:
    """Yield a table as CSV, formatted as exports are."""
    yield csv_text([list(headings)]).encode()
    while piece := list(islice(lines, LINES_PER_PIECE)):
        yield csv_text(piece).encode()


@dataclass(frozen=True)
class DataTable:
    """One table by its file name in `data/`; `made` returns the file in a format."""

    name: str
    title: str
    columns: Sequence[Column]
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
    tables += [
        _own("pictures", "Pictures", PICTURE_COLUMNS, lambda: image_lines(source)),
        _own("plan", "Plan", PLAN_COLUMNS, lambda: plan_lines(source)),
    ]
    described = sorted(tables, key=lambda table: table.name)

    def lines() -> Iterator[Line]:
        for table in (*described, dictionary):  # its own columns come last
            yield from (safe_line(line_of(table.name, column)) for column in table.columns)

    dictionary = _own("dictionary", "Data dictionary", DICTIONARY_COLUMNS, lines)
    return sorted([*tables, dictionary], key=lambda table: table.name)


def _own(name: str, title: str, columns: Sequence[Column], lines: Callable[[], Iterator[Line]]) -> DataTable:
    """Return a table that only bundles have, as CSV."""
    headings = [column.name for column in columns]
    return DataTable(name, title, columns, lambda _: as_csv(headings, lines()))


def _of_layout(source: BundleSource, protocol: str, layout: Layout) -> DataTable:
    def made(form: str) -> Iterable[bytes]:
        return Export(
            source.project,
            layout,
            FORMATS[form],
            protocol=protocol,
            hidden=source.request.hidden,
            watch=lambda _: source.alive(),
            kept=source.kept,
        )

    name, title = source.named(protocol, layout.slug), source.titled(protocol, layout.title)
    columns = layout.of_attributes(source.attributes).columns
    return DataTable(name, title, columns, made, ("csv", "parquet") if layout.in_parquet else ("csv",))


MANIFEST: Final = "manifest.csv"
FIELDS: Final = ("file", "generator", "prompt", "number", "prompt_group")
"""The columns that an import reads; all others become attributes of the images."""


def manifest_lines(source: BundleSource) -> Iterator[bytes]:
    """Yield the table of the images whose file is in the bundle, in stored order, with their attributes."""
    attributes = [name for name in source.attributes if name not in FIELDS]
    yield from as_csv([guarded(name) for name in (*FIELDS, *attributes)], _lines(source, attributes))


def _lines(source: BundleSource, attributes: list[str]) -> Iterator[Line]:
    rows = in_chunks(source.images, "pk", "sha256", "format", *FIELDS[1:], "attributes")
    for pk, sha256, form, *named, own in rows:
        if file := source.place_of(pk, sha256, form):
            yield safe_line([file, *named, *(own.get(name, "") for name in attributes)])
