"""The taxonomy: its published order, its names, its headings."""

import csv
from pathlib import Path

import pytest

from scoring.grid.taxonomy import (
    CELL_BY_HEADING,
    CELL_BY_KEY,
    CELLS,
    COUNT_OF,
    SHEET_COLUMNS,
)


def test_cells_stand_in_the_published_order() -> None:
    assert [cell.key for cell in CELLS] == [
        f"{error_type}.{part}"
        for error_type in ("missing", "extra", "configuration", "orientation", "proportion")
        for part in ("torso", "limbs", "feet", "hands", "face")
    ]
    assert len(CELLS) == len(CELL_BY_KEY) == len(CELL_BY_HEADING) == 25


def test_a_cell_has_a_key_a_heading_and_a_title() -> None:
    cell = CELL_BY_KEY["missing.limbs"]
    assert (cell.key, cell.heading, cell.title) == (
        "missing.limbs",
        "1. Missing Error-1.2 Limbs",
        "Missing · Limbs",
    )
    assert CELL_BY_HEADING["5. Proportion Error-5.5 Face"] is CELLS[-1]


def test_missing_and_extra_are_counted_out_of_what_is_expected() -> None:
    assert dict(COUNT_OF) == {
        "missing": "expected",
        "extra": "expected",
        "configuration": "visible",
        "orientation": "visible",
        "proportion": "visible",
    }
    assert CELL_BY_KEY["extra.face"].count_kind == "expected"


def test_the_sheet_has_thirty_columns() -> None:
    assert len(SHEET_COLUMNS) == len(set(SHEET_COLUMNS)) == 30
    assert SHEET_COLUMNS[:5] == ("Image Id", "Model", "Prompt", "Pic Num.", "1. Missing Error-1.1 Torso")
    assert SHEET_COLUMNS[-1] == "Annotator"


@pytest.mark.study
def test_the_columns_are_those_of_the_published_sheet(study_data: Path) -> None:
    with (study_data / "data" / "annotations.csv").open(encoding="utf-8", newline="") as sheet:
        assert tuple(next(csv.reader(sheet))) == SHEET_COLUMNS
