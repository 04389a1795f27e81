"""Files of lines: CSV and JSON Lines in any process, XLSX and Parquet in workers and commands only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from analysis.exports.columns import CSV, LINE_END, PLAIN, Dialect, Line, csv_text
from analysis.exports.layouts import Layout
from analysis.exports.reading import Reading

LINES_PER_PIECE = 200

Pieces = Callable[[Layout, Reading], Iterator[bytes]]


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


def _csv(layout: Layout, reading: Reading) -> Iterator[bytes]:
    if layout.csv:
        yield csv_text([list(layout.headings)]).encode()
        texts = reading.counted(layout.csv(reading))
        while written := list(islice(texts, LINES_PER_PIECE)):
            yield "".join(written).encode()
        return
    heading: Line = list(layout.headings)
    lines = chain([heading], reading.counted(layout.lines(reading)))
    before = ""
    while piece := list(islice(lines, LINES_PER_PIECE)):
        # Line ends go between the lines, so that the last one may do without.
        yield (before + csv_text(piece).removesuffix(LINE_END)).encode()
        before = LINE_END
    if layout.ends_last_line:
        yield LINE_END.encode()


def _json_lines(layout: Layout, reading: Reading) -> Iterator[bytes]:
    write = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    lines = reading.counted(layout.lines(reading))
    while piece := list(islice(lines, LINES_PER_PIECE)):
        objects = [write(dict(zip(layout.headings, line, strict=True))) for line in piece]
        yield ("\n".join(objects) + "\n").encode()


def _spreadsheet(layout: Layout, reading: Reading) -> Iterator[bytes]:
    from analysis.exports.spreadsheet import spreadsheet

    return spreadsheet(layout.title, layout.columns, reading.counted(layout.lines(reading)))


def _parquet(layout: Layout, reading: Reading) -> Iterator[bytes]:
    from analysis.exports.parquet import parquet

    return parquet(layout.columns, reading.counted(layout.lines(reading)))


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
