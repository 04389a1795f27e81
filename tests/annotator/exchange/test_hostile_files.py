"""Files that want to take all memory and time: refused while they are read."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from annotator.exchange import child_process
from annotator.exchange.child_process import read_in_child
from annotator.exchange.formats import budget
from annotator.exchange.formats.detection import read_annotations
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.sheet import LONGEST_NAME
from annotator.work.process_limits import clean_environment
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.hostile import sending, tables

MB = 1024 * 1024
Made = Callable[[sending.Maker, int, str], Path]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """A hostile file of a size."""

    def make(maker: sending.Maker, size: int, ending: str) -> Path:
        path = tmp_path / f"hostile{ending}"
        path.write_bytes(maker(size))
        return path

    return make


def refused(path: Path, **limits: Any) -> tuple[str, int | None]:
    """The code and the row of a refusal, in the process that reads people's files."""
    with pytest.raises(StudyRefused) as refusal:
        read_in_child("answers", path, **limits)
    return refusal.value.code, refusal.value.row


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("maker", "size", "ending", "code", "row"),
    [
        (tables.merged_without_end, 8_000, ".xlsx", "merged_cells", None),
        (tables.merged_ranges, 80_000, ".xlsx", "merged_cells", None),
        (tables.empty_cells, 3_000_000, ".xlsx", "too_much_memory", None),
        (tables.one_cell_again, 3_000_000, ".xlsx", "too_much_memory", None),
        (tables.tag_without_end, 30_000_000, ".xlsx", "damaged", None),
        (tables.wide_rows, 9_000, ".xlsx", "too_many_cells", 8_001),
        (sending.headings, 40_000, ".csv", "too_many_columns", 1),
        (sending.commas, 5_000_000, ".csv", "too_many_columns", 2),
        (tables.nested, 100_000, ".xlsx", "damaged", None),
    ],
)
def test_a_small_file_that_is_a_large_table_is_refused_within_little(
    made: Made, maker: sending.Maker, size: int, ending: str, code: str, row: int | None
) -> None:
    """In a process that may have 400 MB and 10 seconds of processor."""
    path = made(maker, size, ending)
    assert refused(path, memory=400 * MB, seconds=10) == (code, row)


@pytest.mark.parametrize(
    ("maker", "size", "ending", "limits", "found"),
    [
        (tables.empty_rows, 301, ".xlsx", {"MOST_ROWS": 300}, ("too_many_rows", 301)),
        (sending.empty_lines, 301, ".csv", {"MOST_ROWS": 300}, ("too_many_rows", 301)),
        (tables.wide_rows, 9, ".xlsx", {"MOST_CELLS": 4_999}, ("too_many_cells", 10)),
        (sending.short_rows, 9, ".csv", {"MOST_CELLS": 4_999}, ("too_many_cells", 10)),
    ],
)
def test_rows_and_cells_are_counted_as_they_come(
    made: Made,
    monkeypatch: pytest.MonkeyPatch,
    maker: sending.Maker,
    size: int,
    ending: str,
    limits: dict[str, int],
    found: tuple[str, int],
) -> None:
    path = made(maker, size, ending)
    for name, most in limits.items():
        monkeypatch.setattr(budget, name, most)
    with pytest.raises(StudyRefused) as refusal:
        read_annotations(path)
    assert (refusal.value.code, refusal.value.row) == found
    for name, most in limits.items():
        monkeypatch.setattr(budget, name, most + 500)
    with suppress(StudyRefused):
        read_annotations(path)
        return
    with pytest.raises(StudyRefused) as other:
        read_annotations(path)
    assert other.value.code == ""


def test_what_takes_too_much_memory_ends_its_own_process(made: Made) -> None:
    assert refused(made(sending.names, 100_000, ".csv"), memory=80 * MB) == ("too_much_memory", None)


def test_who_waits_for_the_processor_too_long_is_ended(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, "PATIENCE", 0.01)
    assert refused(made(tables.empty_cells, 10, ".xlsx")) == ("too_long", None)


@pytest.mark.thorough
def test_what_takes_too_much_processor_ends_its_own_process(made: Made) -> None:
    path = made(tables.empty_rows, 2_000_000, ".xlsx")
    begun = time.process_time()
    assert refused(path, seconds=1) == ("too_long", None)
    assert time.process_time() - begun < 1


def test_a_reader_knows_no_password_and_answers_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "secret")
    assert "DATABASE_PASSWORD" not in clean_environment()
    path = tmp_path / "a.csv"
    path.write_text(sheet_text([sheet_row("sdxl_hug_01", cells={"missing.limbs": "1/4c, 1/5"})]))
    assert read_in_child("answers", path) == read_annotations(path)
    with pytest.raises(child_process.ReaderFailed, match=r"must not return posix\.system"):
        child_process._Answer(BytesIO(b"cposix\nsystem\n(S'true'\ntR.")).load()


def test_a_process_that_cannot_start_blames_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(OSError, match="No such file"):
        read_in_child("answers", tmp_path / "a.csv")
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(child_process.ReaderFailed, match="ended with 1"):
        read_in_child("answers", tmp_path / "a.csv")


def test_a_cell_of_many_terms_is_refused_with_its_row(tmp_path: Path) -> None:
    rows = [
        sheet_row("sdxl_hug_01", cells={"missing.limbs": "," * budget.MOST_TERMS}),
        sheet_row("sdxl_hug_02", cells={"missing.limbs": "," * (budget.MOST_TERMS - 1)}),
    ]
    path = tmp_path / "a.csv"
    path.write_text(sheet_text(rows))
    sheet = read_annotations(path)
    assert [(note.row, note.column) for note in sheet.refused] == [(2, sending.CELL)]
    assert len(sheet.rows[0].problems) == budget.MOST_TERMS
    assert sum(len(problem.text) for problem in sheet.rows[0].problems) <= 60 * budget.MOST_TERMS


def test_a_file_in_another_notation_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.exchange.formats.sheet.MOST_PROBLEMS", 3)
    path = tmp_path / "a.csv"
    path.write_text(sheet_text([sheet_row("sdxl_hug_01", cells={"missing.limbs": "x,x,x,x"})]))
    with pytest.raises(StudyRefused) as refusal:
        read_annotations(path)
    assert (refusal.value.code, refusal.value.row) == ("too_many_problems", 2)


def test_a_text_longer_than_a_spreadsheet_s_refuses_its_row(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [sheet_row("sdxl_hug_01"), sheet_row("sdxl_hug_02")]
    rows[0]["Image Id"] = "x" * (budget.LONGEST_TEXT + 1)
    path.write_text(sheet_text(rows))
    sheet = read_annotations(path)
    assert [(note.row, note.column) for note in sheet.refused] == [(2, "Image Id")]
    assert [row.number_in_file for row in sheet.rows] == [3]


def test_a_name_that_no_image_can_have_refuses_its_row(tmp_path: Path) -> None:
    longest = "x" * (LONGEST_NAME - len(".png"))
    rows = [sheet_row("sdxl_hug_01"), sheet_row("sdxl_hug_02")]
    rows[0]["Image Id"], rows[1]["Image Id"] = longest + ".pngx", longest + ".png"
    table = tmp_path / "a.csv"
    table.write_text(sheet_text(rows))
    columns = tmp_path / "b.csv"
    columns.write_text(f"annotator,rating,file\np01,5,{longest}x.png\np01,5,{longest}.png\n")
    own = ("rating", "invalid", "note")
    read = read_annotations(table), read_annotations(columns, raw=True, own=own)
    assert [[(note.row, note.column, note.reason) for note in sheet.refused] for sheet in read] == [
        [(2, "Image Id", "Image Id is longer than 3,136 characters")],
        [(2, "file", "file is longer than 3,136 characters")],
    ]
    assert [[row.number_in_file for row in sheet.rows] for sheet in read] == [[3], [3]]
