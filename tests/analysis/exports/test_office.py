"""Spreadsheet-safe, tried with a real spreadsheet: LibreOffice converts our files, our import reads them."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import openpyxl
import pytest

from analysis.exports.anatomy.layouts import SHEET
from analysis.exports.files import Export, write_whole
from analysis.exports.formats.formats import FORMATS
from annotator.exchange.formats.sheet import read_sheet
from annotator.models import Project
from scoring.grid.taxonomy import CELL_BY_KEY, CELLS
from tests.analysis.factories import make_submitted
from tests.factories import make_image, make_member, make_project

pytestmark = pytest.mark.django_db

WRITTEN = {"missing.limbs": "1/4c", "extra.hands": "1/5", "extra.face": "=1+1", "missing.feet": "3/4"}
CELLS_AS_WRITTEN = {CELL_BY_KEY[key].heading: text for key, text in WRITTEN.items()}


@pytest.fixture
def odd_project() -> Project:
    """An annotation with cells that a spreadsheet would like to change."""
    project = make_project("odd")
    source = {"file": "a.csv", "row": 2, "image_id": "1-2", "cells": CELLS_AS_WRITTEN, "problems": []}
    image = make_image(project, generator="1e5", prompt="2/3", number=1)
    member = make_member(project, code="00012")
    make_submitted(member, [("missing.limbs", "1/4c")], image=image, source=source)
    return project


def converted(path: Path, form: str) -> Path:
    """The file as LibreOffice saves it in another format; skips, by name, where there is no LibreOffice."""
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not at hand: install libreoffice-calc")
    out = path.parent / "converted"
    profile = f"-env:UserInstallation={(path.parent / 'profile').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", form, "--outdir", str(out), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    return out / f"{path.stem}.{form}"


def exported(project: Project, folder: Path, form: str) -> Path:
    path = folder / f"sheet.{form}"
    write_whole(Export(project, SHEET, FORMATS[form]), path)
    return path


@pytest.mark.thorough
def test_a_spreadsheet_opened_and_saved_as_csv_is_what_it_was(odd_project: Project, tmp_path: Path) -> None:
    path = converted(exported(odd_project, tmp_path, "xlsx"), "csv")
    (row,) = read_sheet(path).rows
    assert row.cells == CELLS_AS_WRITTEN
    assert (row.image_id, row.generator, row.prompt, row.number) == ("1-2", "1e5", "2/3", 1)
    assert row.annotator == "00012"


@pytest.mark.thorough
def test_a_spreadsheet_saved_by_another_program_is_what_it_was(odd_project: Project, tmp_path: Path) -> None:
    path = exported(odd_project, tmp_path, "xlsx")
    again = converted(path, "xlsx")
    before, after = (
        [[cell.value for cell in row] for row in openpyxl.load_workbook(each).worksheets[0].iter_rows()]
        for each in (path, again)
    )
    assert after == before
    types = {
        cell.data_type for row in openpyxl.load_workbook(again).worksheets[0].iter_rows() for cell in row
    }
    assert types <= {"s", "n"}


@pytest.mark.thorough
def test_a_csv_opened_runs_nothing(odd_project: Project, tmp_path: Path) -> None:
    path = exported(odd_project, tmp_path, "csv")
    sheet = openpyxl.load_workbook(converted(path, "xlsx")).worksheets[0]
    heading, row = sheet.iter_rows()
    values = {str(cell.value): each for cell, each in zip(heading, row, strict=True)}
    assert values[CELL_BY_KEY["extra.face"].heading].data_type == "s"
    assert values[CELL_BY_KEY["extra.face"].heading].value == "'=1+1"
    with path.open(encoding="utf-8", newline="") as file:
        (read,) = csv.DictReader(file)
    assert {cell.heading: read[cell.heading] for cell in CELLS if read[cell.heading]} == {
        **CELLS_AS_WRITTEN,
        CELL_BY_KEY["extra.face"].heading: "'=1+1",
    }
