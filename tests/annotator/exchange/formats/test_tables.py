"""Tables as CSV, and the published sheet."""

from __future__ import annotations

import tracemalloc
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from annotator.exchange.formats import tables
from annotator.exchange.formats.detection import read_annotations as read_sheet
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.tables import Table, read_lines, table_of
from annotator.inputs.plain_text import TURNS
from tests.annotator.exchange.conftest import StudyFolder, sheet_row

REQUIRED = ("Model", "Pic Num.")


def read_table(
    path: Path, *, required: tuple[str, ...], optional: tuple[str, ...] = (), others: bool = False
) -> Table:
    lines = read_lines(path, (*required, *optional))
    return table_of(lines, required=required, optional=optional, others=others)


def written(folder: Path, contents: bytes) -> Path:
    path = folder / "table.csv"
    path.write_bytes(contents)
    return path


@pytest.mark.parametrize(
    "contents",
    [
        b"Model,Pic Num.\na,1\n\nb,2\n",
        b"\xef\xbb\xbfModel,Pic Num.\na,1\n\nb,2\n",
        b"Model,Pic Num.\r\na,1\r\n,\r\nb,2",
        b"Model,Pic Num.\ra,1\r\rb,2\r",
        b"Model;Pic Num.\na;1\n;\nb;2\n",
        b"Model\tPic Num.\na\t1\n\nb\t2\n",
        b'"Model","Pic Num."\n"a","1"\n\n"b","2"\n',
        b" MODEL ,pic  num\na,1\n\nb,2\n",
        b"Model,Pic Num.,,\na,1,,\n,,,\nb,2,,\n",
        b"pic_num,model\n1,a\n\n2,b\n",
    ],
    ids=["plain", "bom", "crlf", "cr", "semicolons", "tabs", "quotes", "headings", "empty columns", "order"],
)
def test_every_common_form_reads_the_same(tmp_path: Path, contents: bytes) -> None:
    table = read_table(written(tmp_path, contents), required=REQUIRED)
    assert [
        (record.number, record.values["Model"], record.values["Pic Num."]) for record in table.records
    ] == [(2, "a", "1"), (4, "b", "2")]
    assert [record.problem for record in table.records] == ["", ""]
    assert table.other_columns == ()
    assert table.notes == ()


def test_latin_1_is_read_with_a_warning(tmp_path: Path) -> None:
    table = read_table(
        written(tmp_path, "Model,Pic Num.\na,1\nMühle,2\n".encode("latin-1")), required=REQUIRED
    )
    assert [record.values["Model"] for record in table.records] == ["a", "Mühle"]
    reason = "table.csv is not UTF-8; it was read as Latin-1 (Windows-1252): check names with accents"
    assert [(note.row, note.column, note.reason) for note in table.notes] == [(3, "", reason)]


@pytest.mark.parametrize(("others", "text"), [(False, ""), (True, "hm")])
def test_own_columns_are_named_and_kept_where_asked_for(tmp_path: Path, *, others: bool, text: str) -> None:
    path = written(tmp_path, b",Model,Pic Num.,Comment,Empty\n0,a,1,hm,\n")
    table = read_table(path, required=REQUIRED, others=others)
    assert table.other_columns == ("column 1", "Comment")
    assert table.records[0].values["Comment"] == text


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("separator", [b",", b";", b"\t", b"|"])
def test_the_line_that_names_the_separator_is_no_row(tmp_path: Path, mark: bytes, separator: bytes) -> None:
    contents = mark + b"sep=,\r\nModel,Pic Num.\r\na,1\r\n".replace(b",", separator)
    table = read_table(written(tmp_path, contents), required=REQUIRED)
    assert [(record.number, record.values) for record in table.records] == [
        (2, {"Model": "a", "Pic Num.": "1"})
    ]
    assert table.other_columns == ()


@pytest.mark.parametrize("blank", ["\n", ",\n", " , ,\n,\n", '"",\n'])
def test_blank_rows_above_the_heading_are_counted_only(tmp_path: Path, blank: str) -> None:
    contents = f"{blank}Model;Pic Num.\na;1\n".replace(",", ";").encode()
    table = read_table(written(tmp_path, contents), required=REQUIRED)
    assert [(record.number, record.values["Model"]) for record in table.records] == [
        (blank.count("\n") + 2, "a")
    ]


def test_trailing_cells_of_optional_columns_may_be_missing(tmp_path: Path) -> None:
    contents = b"Model,Pic Num.,Comment,Group\na,1\nb,2,hm\nc\na,1,,,,\na,1,,,x\n"
    table = read_table(written(tmp_path, contents), required=REQUIRED, optional=("Group",))
    assert table.other_columns == ("Comment",)
    assert [record.values["Group"] for record in table.records[:2]] == ["", ""]
    few, many = (f"the row has {cells} cells, the header 4" for cells in (1, 5))
    assert [record.problem for record in table.records] == ["", "", few, "", many]


UNUSABLE = {
    b"": "is empty.",
    b" \n\n": "is empty.",
    b"Model,Pic Num.\na,\x001\n": "contains a NUL byte in line 2: it is damaged or not a text file.",
    b"Model,Pic Num.\n\x81\xff,1\n": "is neither UTF-8 (line 2) nor Latin-1. Save it as CSV in UTF-8.",
    b"Model,Number\na,1\n": "lacks the column “Pic Num.”. Unexpected: the column “Number”.",
    b"Ratings of May,\n\nModel,Pic Num.\na,1\n": (
        "has a title in row 1. The headings are in row 3: delete the rows above it."
    ),
    b"Model,Pic Num.,model\na,1,b\n": "has the column “Model” more than once.",
    b'Model,Pic Num.\na,1\n"b,2\n': "cannot be read as CSV after row 2: unexpected end of data.",
    b"Model,Pic Num.\na," + b"1" * 200_000: (
        "cannot be read as CSV after row 1: field larger than field limit (131072)."
    ),
    b"Model,Pic Num.\n" + b" " * 400_000: "is larger than 400,000 bytes.",
}


def said(path: Path) -> str:
    """Why a table is refused."""
    with pytest.raises(StudyRefused) as caught:
        read_table(path, required=REQUIRED)
    return str(caught.value)


@pytest.mark.parametrize(("contents", "message"), UNUSABLE.items(), ids=UNUSABLE.values())
def test_files_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contents: bytes, message: str
) -> None:
    monkeypatch.setattr(tables, "MOST_BYTES", 400_000)
    assert said(written(tmp_path, contents)) == f"table.csv {message}"


def test_no_such_file_and_no_file(tmp_path: Path) -> None:
    assert said(tmp_path / "none.csv") == f"There is no file {tmp_path / 'none.csv'}."
    assert said(tmp_path) == f"{tmp_path} is not a file."


def test_a_line_that_is_too_wide_is_not_copied(tmp_path: Path) -> None:
    """Four bytes for each character of it were, and the time grew faster than the file."""
    path = tmp_path / "wide.csv"
    path.write_bytes(b"," * 8_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(StudyRefused) as refused:
            read_table(path, required=("a",))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert refused.value.code == "too_many_columns"
    assert most < 24_000_000


LIMBS = "1. Missing Error-1.2 Limbs"
HANDS = "2. Extra Error-2.4 Hands"
NO_SEVERITY = "no severity: a, b or c is missing after the total"


@pytest.mark.parametrize("column", ["Model", "Prompt", "Annotator"])
def test_no_name_turns_the_direction_of_reading(study: StudyFolder, column: str) -> None:
    turned: dict[str, Any] = {column: "a\u202eb"}
    path = study.sheet(sheet_row("sdxl_hug_01"), sheet_row("sdxl_hug_02", **turned))
    sheet = read_sheet(path)
    assert len(sheet.rows) == 1
    assert sheet.refused == (RowNote(3, column, "sdxl_hug_02", f"{column} {TURNS}"),)


@pytest.mark.parametrize(
    ("changed", "column", "reason"),
    [
        ({"Model": " "}, "Model", "Model is empty"),
        ({"Model": "x" * 121}, "Model", "Model is longer than 120 characters"),
        ({"Prompt": "x" * 3001}, "Prompt", "Prompt is longer than 3,000 characters"),
        ({"Annotator": ""}, "Annotator", "Annotator is empty"),
        ({"Annotator": "x" * 81}, "Annotator", "Annotator is longer than 80 characters"),
        ({"Pic Num.": "eight"}, "Pic Num.", "Pic Num. “eight” is not a whole number"),
    ],
)
def test_unusable_rows(study: StudyFolder, changed: dict[str, str], column: str, reason: str) -> None:
    row = sheet_row("sdxl_hug_01") | {"Image Id": ""} | changed
    sheet = read_sheet(study.sheet(row, sheet_row("sdxl_hug_02")))
    assert [(note.row, note.column, note.reason) for note in sheet.refused] == [(2, column, reason)]
    assert [row.number_in_file for row in sheet.rows] == [3]


ONLY = "from which it differs only in spelling"
TWO = "only in spelling; they are treated as two annotators"


def test_names_that_differ_in_spelling_alone(study: StudyFolder) -> None:
    names = (("sdxl_couple hugging_01", "anno1"), ("SDXL_couple  hugging_02", "Anno 1"))
    found = read_sheet(study.sheet(*(sheet_row(*name) for name in (*names, names[1])))).warnings
    assert [(note.row, note.column, note.text, note.reason) for note in found] == [
        (3, "Model", "SDXL", f"treated as “sdxl”, {ONLY}"),
        (3, "Prompt", "couple  hugging", f"treated as “couple hugging”, {ONLY}"),
        (3, "Annotator", "Anno 1", f"differs from “anno1” {TWO}"),
    ]


def test_names_guarded_against_spreadsheets_come_back(study: StudyFolder) -> None:
    row = sheet_row("sdxl_hug_01", "'=anno1", Prompt="'-hug")
    (read,) = read_sheet(study.sheet(row)).rows
    assert (read.annotator, read.prompt) == ("=anno1", "-hug")


def test_an_image_id_may_stand_for_the_names(study: StudyFolder) -> None:
    row = sheet_row("sdxl_hug_01") | {"Model": "", "Prompt": "", "Pic Num.": ""}
    sheet = read_sheet(study.sheet(row))
    assert sheet.refused == ()
    assert [(row.image_id, row.generator, row.prompt, row.number) for row in sheet.rows] == [
        ("sdxl_hug_01", "", "", None)
    ]


@pytest.mark.parametrize("code", ["1.2E+17", "TRUE"])
def test_a_code_that_a_spreadsheet_has_converted_refuses_its_row(study: StudyFolder, code: str) -> None:
    (note,) = read_sheet(study.sheet(sheet_row("sdxl_hug_01", code))).refused
    assert (note.row, note.column) == (2, "Annotator")
    assert read_sheet(study.sheet(sheet_row("sdxl_hug_01", "007"))).rows[0].annotator == "007"


@pytest.mark.parametrize("text", ["5-Jan", "01.04.2025", "2026-01-05 00:00:00"])
def test_a_date_in_a_cell_refuses_its_row(study: StudyFolder, text: str) -> None:
    sheet = read_sheet(study.sheet(sheet_row("sdxl_hug_01", cells={"missing.limbs": text})))
    assert [(note.row, note.column) for note in sheet.refused] == [(2, "1. Missing Error-1.2 Limbs")]
    assert sheet.rows == ()


@pytest.mark.parametrize(("heading", "problem"), [("Pic Num.", "a date"), ("Made on", "")])
def test_dates_refuse_a_row_only_in_columns_that_are_read(tmp_path: Path, heading: str, problem: str) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    row = {"Model": "a", "Pic Num.": "1", heading: datetime(2025, 4, 2)}
    book.active.append(list(row))
    book.active.append(list(row.values()))
    book.save(tmp_path / "a.xlsx")
    [record] = read_table(tmp_path / "a.xlsx", required=REQUIRED, others=True).records
    assert record.values[heading] == "2025-04-02"
    assert (record.column, problem in record.problem) == (heading if problem else "", True)
    assert bool(record.problem) == bool(problem)
