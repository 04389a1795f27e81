"""File formats: CSV in any process, XLSX and Parquet only in workers and commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from analysis.exports.columns import (
    CSV,
    LINE_END,
    LINES_PER_PIECE,
    PLAIN,
    Dialect,
    Kind,
    csv_text,
)
from analysis.exports.layout import Layout
from analysis.exports.source import ExportRefused, ExportSource
from analysis.exports.zipping import Sink

LINES_PER_GROUP = 5_000
COCO, HAD, REQUESTS = "coco", "had", "requests"
_JSON = "application/json"
_SOME = (
    (COCO, "COCO", "Masks as run lengths, for the tools of segmentation.", _JSON, "coco.json"),
    (
        HAD,
        "HAD",
        "Boxes with body part and level, as the Human Artifact Dataset has them.",
        _JSON,
        "had.json",
    ),
    (
        REQUESTS,
        "Requests",
        "What a model needs to join the kept descriptions, as JSON Lines.",
        "application/x-ndjson",
        "requests.jsonl",
    ),
)
OF_SOME: Mapping[str, str] = {slug: title for slug, title, *_ in _SOME}
"""The formats that only some layouts have, with their titles."""
NOT_AS = "{} cannot be written as {}. Choose another format."
Pieces = Callable[[Layout, ExportSource], Iterator[bytes]]


@dataclass(frozen=True)
class Format:
    """A file format; `ending` is that of its files, without one its slug.

    `by_worker`: it needs libraries that web processes never load.
    """

    slug: str
    title: str
    words: str
    content_type: str
    dialect: Dialect
    pieces: Pieces
    by_worker: bool = False
    ending: str = ""

    @property
    def suffix(self) -> str:
        """What the names of its files end with."""
        return self.ending or self.slug


def _csv(layout: Layout, reading: ExportSource) -> Iterator[bytes]:
    yield csv_text([list(layout.headings)]).removesuffix(LINE_END).encode()
    # Line ends separate lines, so that the last one may lack one.
    lines = reading.counted(layout.lines(reading))
    while piece := list(islice(lines, LINES_PER_PIECE)):
        yield (LINE_END + csv_text(piece).removesuffix(LINE_END)).encode()
    if layout.ends_last_line:
        yield LINE_END.encode()


def _own(form: str) -> Pieces:
    def pieces(layout: Layout, reading: ExportSource) -> Iterator[bytes]:
        if form not in layout.own_formats:
            raise ExportRefused(NOT_AS.format(layout.title, OF_SOME[form]))
        return layout.own_formats[form](reading)

    return pieces


def _spreadsheet(layout: Layout, reading: ExportSource) -> Iterator[bytes]:
    from analysis.exports.spreadsheet import spreadsheet

    return spreadsheet(layout.title, layout.columns, reading.counted(layout.lines(reading)))


def _parquet(layout: Layout, reading: ExportSource) -> Iterator[bytes]:
    """Yield the file with one row group in memory; missing values are null."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    lines = reading.counted(layout.lines(reading))
    types = {
        Kind.TEXT: pa.string(),
        Kind.INTEGER: pa.int64(),
        Kind.NUMBER: pa.float64(),
        Kind.TRUTH: pa.bool_(),
    }
    schema = pa.schema([(column.name, types[column.kind]) for column in layout.columns])
    sink = Sink()
    with pq.ParquetWriter(sink, schema, compression="zstd", store_schema=False) as writer:
        while group := list(islice(lines, LINES_PER_GROUP)):
            values = zip(*group, strict=True)
            arrays = [pa.array(list(of), type=field.type) for of, field in zip(values, schema, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield sink.take()
    yield sink.take()


FORMATS: Mapping[str, Format] = {
    found.slug: found
    for found in (
        Format("csv", "CSV", "For statistics programs.", "text/csv; charset=utf-8", CSV, _csv),
        Format(
            "xlsx",
            "XLSX",
            "For spreadsheets. 1/5 stays text.",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            PLAIN,
            _spreadsheet,
            by_worker=True,
        ),
        Format(
            "parquet",
            "Parquet",
            "Typed columns, for large data.",
            "application/vnd.apache.parquet",
            PLAIN,
            _parquet,
            by_worker=True,
        ),
        *(
            Format(slug, title, words, kind, PLAIN, _own(slug), ending=ending)
            for slug, title, words, kind, ending in _SOME
        ),
    )
}
