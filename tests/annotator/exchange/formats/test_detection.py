"""Files of annotations made elsewhere, of every kind."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from annotator.exchange.formats.detection import read_annotations
from annotator.exchange.formats.report import StudyRefused
from scoring.grid.taxonomy import SHEET_COLUMNS
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.annotator.exchange.formats.test_tables import LIMBS
from tests.support.codes import refused


def workbook(path: Path, rows: Iterable[dict[str, Any]], merge: str = "") -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(SHEET_COLUMNS))
    for row in rows:
        sheet.append([row[heading] or None for heading in SHEET_COLUMNS])
    if merge:
        sheet.merge_cells(merge)
    book.save(path)
    return path


def test_a_workbook_says_what_the_csv_says(tmp_path: Path) -> None:
    rows = [
        sheet_row("sdxl_couple hugging_01", "a", {"missing.limbs": "1/4c, 1/5b", "extra.hands": "1/5"}),
        sheet_row("sdxl_couple hugging_02", "7"),
    ]
    text = tmp_path / "a.csv"
    text.write_text(sheet_text(rows))
    book = workbook(tmp_path / "a.xlsx", [row | {"Pic Num.": int(row["Pic Num."])} for row in rows])
    assert read_annotations(book).rows == read_annotations(text).rows
    assert len(read_annotations(book).rows) == 2
    text.write_text(sheet_text(rows).replace("Model,Prompt,Pic Num.", "a,b,c"))
    assert [row.image_id for row in read_annotations(text).rows] == [row["Image Id"] for row in rows]
    text.write_text(sheet_text(rows).replace("Image Id,Model", "a,b"))
    with pytest.raises(StudyRefused, match=r"it needs the columns “Model”, “Prompt” and “Pic Num.”, or"):
        read_annotations(text)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("=1+1", "“=1+1” is a formula"),
        (datetime.date(2026, 1, 5), "“2026-01-05” is a date"),
        (14, "“14” is a number"),
        ("#REF!", "“#REF!” is a spreadsheet error"),
    ],
)
def test_what_a_spreadsheet_made_is_refused_with_words(tmp_path: Path, value: object, found: str) -> None:
    rows: list[dict[str, Any]] = [
        {**sheet_row("sdxl_hug_01"), LIMBS: value},
        {**sheet_row("sdxl_hug_02", cells={"missing.limbs": "1/5c"})},
    ]
    sheet = read_annotations(workbook(tmp_path / "a.xlsx", rows))
    (note,) = sheet.refused
    assert (note.row, note.column, note.text) == (2, LIMBS, "sdxl_hug_01")
    assert note.reason.startswith(found)
    assert [row.number_in_file for row in sheet.rows] == [3]


def test_empty_rows_above_the_heading_of_a_sheet_are_counted_only(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [sheet_row("sdxl_hug_01", cells={"missing.limbs": "1/4c"})])
    book = openpyxl.load_workbook(path)
    book.worksheets[0].insert_rows(1, amount=2)
    book.save(path)
    [row] = read_annotations(path).rows
    assert (row.number_in_file, row.cells) == (4, {LIMBS: "1/4c"})


@pytest.mark.parametrize("merge", ["B2:B3", "A1:A2", "AB2:AC2"])
def test_a_sheet_with_merged_cells_is_refused(tmp_path: Path, merge: str) -> None:
    rows = [sheet_row(f"sdxl_hug_0{number}") for number in (1, 2, 3)]
    with refused(StudyRefused, "merged_cells"):
        read_annotations(workbook(tmp_path / "a.xlsx", rows, merge=merge))


@pytest.mark.parametrize(
    ("value", "code", "name"),
    [
        (7, "000", "007"),
        (7, "General", "7"),
        (120_000_000_000, "@", None),
        (7, "#,##0", None),
        (-7, "000", None),
    ],
)
@pytest.mark.parametrize("column", ["Annotator", "Model", "Prompt"])
def test_a_number_is_a_name_only_as_the_sheet_shows_it(
    tmp_path: Path, column: str, value: object, code: str, name: str | None
) -> None:
    path = workbook(tmp_path / "a.xlsx", [{**sheet_row("sdxl_hug_01", "a"), column: value}])
    book = openpyxl.load_workbook(path)
    book.worksheets[0].cell(2, SHEET_COLUMNS.index(column) + 1).number_format = code
    book.save(path)
    sheet = read_annotations(path)
    names = [getattr(row, {"Model": "generator"}.get(column, column.lower())) for row in sheet.rows]
    assert names == ([] if name is None else [name])
    assert [(note.row, note.column) for note in sheet.refused] == ([(2, column)] if name is None else [])
    assert all("format the column as text" in note.reason for note in sheet.refused)


def test_other_zips_are_refused_as_workbooks(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    for name, contents, code in (
        ("xl/worksheets/sheet1.xml", b" " * (65 * 1024 * 1024), "too_large_unpacked"),
        ("a.png", b"x", "damaged"),
    ):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr(name, contents)
        with refused(StudyRefused, code):
            read_annotations(path)


@pytest.mark.parametrize("place", range(4, 46, 2))
def test_a_workbook_whose_zip_lies_is_refused_or_read(tmp_path: Path, place: int) -> None:
    """Every field of a part's head in the directory, at its largest: the library knows many words for no."""
    path = workbook(tmp_path / "lies.xlsx", [sheet_row("sdxl_hug_01")])
    whole = bytearray(path.read_bytes())
    head = whole.index(b"PK\x01\x02")
    whole[head + place : head + place + 2] = b"\xfe\x00"
    path.write_bytes(whole)
    try:
        found = f"rows: {len(read_annotations(path).rows)}"
    except StudyRefused as refused:
        found = str(refused)
    assert found == "rows: 1" or found.startswith("lies.xlsx is ")


@pytest.mark.parametrize(
    ("heading", "raw", "code"),
    [
        ("Image Id,Model,cumulative_score", False, "layout"),
        ("Image Id,Model,error_type,body_part", False, "layout"),
        ("file,annotator,rating", False, "sheet"),
        ("file,annotator,rating", True, "sheet"),
    ],
)
def test_scores_marks_and_ratings_are_told_from_a_sheet(
    tmp_path: Path, heading: str, raw: bool, code: str
) -> None:
    path = tmp_path / "other.csv"
    path.write_text(f"{heading}\nx,y,5\n")
    with refused(StudyRefused, code):
        read_annotations(path, raw=raw)


def test_ratings_may_name_images_by_digest(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(f"sha256,annotator,rating\n{'0' * 64},a,5\n,b,6\n")
    sheet = read_annotations(path, raw=True, own=("rating", "note"))
    assert [(row.sha256, row.annotator, row.cells) for row in sheet.rows] == [
        ("0" * 64, "a", {"rating": "5"})
    ]
    assert [note.row for note in sheet.refused] == [3]
