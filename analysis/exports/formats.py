"""Files of lines: CSV and JSON Lines in any process, XLSX and Parquet in workers and commands only."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from analysis.exports.columns import CSV, PLAIN, Dialect, Line
from analysis.exports.layouts import Layout

LINES_PER_PIECE = 200
# As in the published sheet: commas, quotes where needed, UTF-8 without a mark in front.
LINE_END = "\r\n"

Pieces = Callable[[Layout, Iterator[Line]], Iterator[bytes]]


@dataclass(frozen=True)
class Format:
    """How lines become bytes. `by_worker`: it takes libraries that web processes never load."""

    slug: str
    title: str
    words: str
    content_type: str
    dialect: Dialect
    pieces: Pieces
    by_worker: bool = False


def _csv(layout: Layout, lines: Iterator[Line]) -> Iterator[bytes]:
    whole: Iterator[Line] = chain([list(layout.headings)], lines)
    before = ""
    while piece := list(islice(whole, LINES_PER_PIECE)):
        # Line ends go between the lines, so that the last one may do without.
        yield (before + csv_text(piece).removesuffix(LINE_END)).encode()
        before = LINE_END
    if layout.ends_last_line:
        yield LINE_END.encode()


def csv_text(lines: Iterable[Line]) -> str:
    """Return lines as CSV."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator=LINE_END).writerows(lines)
    return buffer.getvalue()


def _json_lines(layout: Layout, lines: Iterator[Line]) -> Iterator[bytes]:
    write = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    while piece := list(islice(lines, LINES_PER_PIECE)):
        objects = [write(dict(zip(layout.headings, line, strict=True))) for line in piece]
        yield ("\n".join(objects) + "\n").encode()


def _spreadsheet(layout: Layout, lines: Iterator[Line]) -> Iterator[bytes]:
    from analysis.exports.spreadsheet import spreadsheet

    return spreadsheet(layout.title, layout.columns, lines)


def _parquet(layout: Layout, lines: Iterator[Line]) -> Iterator[bytes]:
    from analysis.exports.parquet import parquet

    return parquet(layout.columns, lines)


FORMATS: Mapping[str, Format] = {
    found.slug: found
    for found in (
        Format("csv", "CSV", "For statistics programs.", "text/csv; charset=utf-8", CSV, _csv),
        Format(
            "xlsx",
            "XLSX",
            "For spreadsheets: 1/5 stays text.",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            PLAIN,
            _spreadsheet,
            by_worker=True,
        ),
        Format(
            "jsonl",
            "JSON Lines",
            "One object per line.",
            "application/jsonl; charset=utf-8",
            PLAIN,
            _json_lines,
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
    )
}
