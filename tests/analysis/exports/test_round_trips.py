"""What a file says when it is read back: every value, in every format."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.exports.anatomy.layouts import MARKS, SCORES
from analysis.exports.columns import Column, Kind, Line, Value
from analysis.exports.filters import Filters
from analysis.exports.formats import FORMATS
from analysis.exports.layout import Layout
from analysis.exports.source import ExportSource
from annotator.models import Project
from tests.support.examples import examples

HOSTILE = (
    "=1+1",
    "1/5",
    "1/5c",
    "+1",
    "@SUM(A1)",
    "-",
    "'",
    "_x0041_",
    "\r\n",
    " a ",
    "\x01",
    "0x1",
    "",
)
# An apostrophe before a formula is what CSV itself puts there: who writes one loses it on the way back.
texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6)).filter(
    lambda text: not re.match(r"'[=+\-@\t\r].", text, re.DOTALL)
)
whole = st.integers(min_value=0, max_value=2**40)
VALUES: dict[Kind, st.SearchStrategy[Value]] = {
    Kind.TEXT: texts,
    Kind.INTEGER: st.none() | whole,
    Kind.NUMBER: st.none()
    | whole
    | st.floats(min_value=1e-9, max_value=1e6).map(lambda value: int(value) if value % 1 == 0 else value),
    Kind.TRUTH: st.booleans(),
}


def lines_of(layout: Layout) -> st.SearchStrategy[list[Line]]:
    """Lines that the layout could have."""
    line = st.tuples(*(VALUES[column.kind] for column in layout.columns)).map(list)
    return st.lists(line, max_size=2)


def written(layout: Layout, lines: list[Line], form: str) -> bytes:
    """The lines as a file; the values go through the format's dialect, as the layouts have it."""
    dialect = FORMATS[form].dialect

    def value(column: Column, found: Value) -> Value:
        if isinstance(found, str):
            return dialect.text(found)
        if isinstance(found, bool):
            return dialect.truth(found)
        return dialect.number(*found.as_integer_ratio()) if found is not None else None

    ready = [[value(*each) for each in zip(layout.columns, line, strict=True)] for line in lines]
    given_lines = replace(layout, lines=lambda _: iter(ready))
    reading = ExportSource(Project(), Filters(), dialect, hidden=False)
    return b"".join(FORMATS[form].pieces(given_lines, reading))


def from_csv(layout: Layout, file: bytes) -> list[Line]:
    read: dict[Kind, Callable[[str], Value]] = {
        Kind.TEXT: lambda text: re.sub(
            r"^'(?=[' \u00a0\u3000]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])", "", text
        ),
        Kind.INTEGER: lambda text: int(text) if text else None,
        Kind.NUMBER: lambda text: (float(text) if re.search(r"[.e]", text) else int(text)) if text else None,
        Kind.TRUTH: {"true": True, "false": False}.__getitem__,
    }
    rows = list(csv.reader(io.StringIO(file.decode(), newline="")))
    assert rows[0] == list(layout.headings)
    return [
        [read[column.kind](text) for column, text in zip(layout.columns, row, strict=True)]
        for row in rows[1:]
    ]


def from_xlsx(layout: Layout, file: bytes) -> list[Line]:
    sheet = openpyxl.load_workbook(io.BytesIO(file))[layout.title]

    def value(column: Column, cell: Any) -> Value:
        if column.kind is not Kind.TEXT:
            return cell.value  # type: ignore[no-any-return]
        assert cell.value is None or (cell.data_type, cell.number_format) == ("s", "@")
        return re.sub(r"_x([0-9A-F]{4})_", lambda found: chr(int(found[1], 16)), cell.value or "")

    heading, *rows = sheet.iter_rows(max_col=len(layout.columns))
    assert [cell.value for cell in heading] == list(layout.headings)
    return [[value(*each) for each in zip(layout.columns, row, strict=True)] for row in rows]


def from_parquet(layout: Layout, file: bytes) -> list[Line]:
    table = pq.read_table(io.BytesIO(file))
    assert table.column_names == list(layout.headings)
    return [list(row.values()) for row in table.to_pylist()]


READERS = {"csv": from_csv, "xlsx": from_xlsx, "parquet": from_parquet}


@pytest.mark.parametrize("layout", [MARKS, SCORES], ids=["marks", "scores"])
@pytest.mark.parametrize("form", READERS)
@pytest.mark.few(3)
@pytest.mark.slow  # as many generated examples as the run is told
def test_every_value_is_read_back(layout: Layout, form: str) -> None:
    @settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
    @given(lines_of(layout))
    def reads_back(lines: list[Line]) -> None:
        file = written(layout, lines, form)
        assert READERS[form](layout, file) == lines
        assert written(layout, lines, form) == file

    reads_back()


@pytest.mark.parametrize("form", READERS)
def test_hostile_texts_are_read_back(form: str) -> None:
    lines: list[Line] = []
    for text in HOSTILE:
        lines.append([text if column.kind is Kind.TEXT else None for column in MARKS.columns])
        lines[-1][9] = True
    assert READERS[form](MARKS, written(MARKS, lines, form)) == lines


def test_a_spreadsheet_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.exports.spreadsheet.MOST_LINES", 2)
    line: Line = [None] * len(MARKS.columns)
    written(MARKS, [list(line)] * 2, "xlsx")
    with pytest.raises(ValueError, match=r"exceeds the 2 rows of a spreadsheet\. Use CSV or Parquet\."):
        written(MARKS, [list(line)] * 3, "xlsx")


def test_a_spreadsheet_does_not_tell_when_it_was_made() -> None:
    file = io.BytesIO(written(MARKS, [], "xlsx"))
    book = openpyxl.load_workbook(file)
    assert f"{book.properties.created:%Y} {book.properties.modified:%Y}" == "2000 2000"
