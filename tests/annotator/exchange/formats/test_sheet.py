"""Rows of the annotation sheet."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import read_sheet
from annotator.inputs.plain_text import TURNS
from scoring.grid.notation import Term
from tests.annotator.exchange.conftest import StudyFolder, sheet_row

LIMBS = "1. Missing Error-1.2 Limbs"
HANDS = "2. Extra Error-2.4 Hands"
NO_SEVERITY = "no severity: a, b or c is missing after the total"


def test_a_row_is_read_and_kept_as_written(study: StudyFolder) -> None:
    cells = {"missing.limbs": " 2/4C,1/4b", "extra.hands": "1/5, 1/6a"}
    sheet = read_sheet(study.sheet(sheet_row("sdxl_couple hugging_01", "anno 1", cells)))
    (row,) = sheet.rows
    problem = RowNote(2, HANDS, "1/5", NO_SEVERITY)
    assert sheet.name == "annotations.csv"
    assert row.key == ("sdxl", "couplehugging", 1)
    assert row.annotator == "anno 1"
    assert row.cells == {LIMBS: " 2/4C,1/4b", HANDS: "1/5, 1/6a"}
    assert row.terms == {
        "missing.limbs": (Term(1, 4, "b"), Term(2, 4, "c")),
        "extra.hands": (Term(1, 6, "a"),),
    }
    assert row.problems == sheet.rejected_terms == (problem,)
    assert not row.says_no_errors
    assert row.source("annotations.csv") == {
        "file": "annotations.csv",
        "row": 2,
        "image_id": "sdxl_couple hugging_01",
        "model": "sdxl",
        "prompt": "couple hugging",
        "cells": {LIMBS: " 2/4C,1/4b", HANDS: "1/5, 1/6a"},
        "problems": [problem.as_json()],
    }
    assert sheet.refused == ()
    assert sheet.warnings == ()


def test_an_empty_row_says_no_errors(study: StudyFolder) -> None:
    (row,) = read_sheet(study.sheet(sheet_row("sdxl_couple hugging_01"))).rows
    assert row.says_no_errors


@pytest.mark.parametrize("column", ["Model", "Prompt", "Annotator"])
def test_no_name_turns_the_direction_of_reading(study: StudyFolder, column: str) -> None:
    turned: dict[str, Any] = {column: "a\u202eb"}
    path = study.sheet(sheet_row("sdxl_hug_01"), sheet_row("sdxl_hug_02", **turned))
    sheet = read_sheet(path)
    assert len(sheet.rows) == 1
    assert sheet.refused == (RowNote(3, column, "sdxl_hug_02", f"{column} {TURNS}"),)


def test_warnings_name_the_cell(study: StudyFolder) -> None:
    cells = {"missing.limbs": "1/17a,1/18c", "configuration.hands": "2/2a,1/2b"}
    sheet = read_sheet(study.sheet(sheet_row("sdxl_hug_01"), sheet_row("sdxl_hug_02", cells=cells)))
    assert sheet.warnings == (
        RowNote(3, LIMBS, "1/17a,1/18c", "Different totals in this cell (17 and 18). Kept as typed."),
        RowNote(
            3,
            "3. Configuration Error-3.4 Hands",
            "2/2a,1/2b",
            "2 + 1 = 3 affected, but 2 visible hands. Kept; correct if one part was counted twice.",
        ),
    )


@pytest.mark.parametrize(
    ("changed", "column", "reason"),
    [
        ({"Model": " "}, "Model", "Model is empty"),
        ({"Model": "x" * 121}, "Model", "Model is longer than 120 characters"),
        ({"Prompt": "__"}, "Prompt", "Prompt is empty"),
        ({"Prompt": "x" * 3001}, "Prompt", "Prompt is longer than 3000 characters"),
        ({"Annotator": ""}, "Annotator", "Annotator is empty"),
        ({"Annotator": "x" * 81}, "Annotator", "Annotator is longer than 80 characters"),
        ({"Pic Num.": "eight"}, "Pic Num.", "Pic Num. “eight” is not a whole number"),
        ({"Pic Num.": ""}, "Pic Num.", "Pic Num. “” is not a whole number"),
    ],
)
def test_rows_that_cannot_be_used(
    study: StudyFolder, changed: dict[str, str], column: str, reason: str
) -> None:
    row = sheet_row("sdxl_hug_01") | {"Image Id": ""} | changed
    sheet = read_sheet(study.sheet(row, sheet_row("sdxl_hug_02")))
    assert sheet.refused == (RowNote(2, column, "", reason),)
    assert [row.number_in_file for row in sheet.rows] == [3]


def test_names_that_differ_in_spelling_alone(study: StudyFolder) -> None:
    sheet = read_sheet(
        study.sheet(
            sheet_row("sdxl_couple hugging_01", "anno1"),
            sheet_row("SDXL_couple  hugging_02", "Anno 1"),
            sheet_row("SDXL_couple hugging_03", "Anno 1"),
        )
    )
    assert sheet.warnings == (
        RowNote(3, "Model", "SDXL", "treated as “sdxl”, from which it differs only in spelling"),
        RowNote(
            3,
            "Prompt",
            "couple  hugging",
            "treated as “couple hugging”, from which it differs only in spelling",
        ),
        RowNote(
            3,
            "Annotator",
            "Anno 1",
            "differs from “anno1” only in spelling; they are treated as two annotators",
        ),
    )


def test_names_guarded_against_spreadsheets_come_back(study: StudyFolder) -> None:
    row = sheet_row("sdxl_hug_01", "'=anno1", Prompt="'-hug")
    (read,) = read_sheet(study.sheet(row)).rows
    assert (read.annotator, read.prompt) == ("=anno1", "-hug")


def test_further_columns_are_kept_and_named(study: StudyFolder) -> None:
    text = (
        study.sheet(sheet_row("sdxl_hug_01"))
        .read_text()
        .replace("Annotator", "Annotator,Comment")
        .replace("anno1", "anno1,hm")
    )
    sheet = read_sheet(study.file("data/annotations.csv", text))
    reason = "not a column of the sheet; its values are kept with each annotation"
    assert sheet.warnings == (RowNote(1, "Comment", "Comment", reason),)
    assert sheet.rows[0].source("f")["other_columns"] == {"Comment": "hm"}


def test_wrong_columns_are_named(study: StudyFolder) -> None:
    text = (
        study.sheet(sheet_row("sdxl_hug_01")).read_text().replace("Annotator", "Rater").replace(LIMBS, "Arms")
    )
    with pytest.raises(StudyRefused) as caught:
        read_sheet(study.file("data/annotations.csv", text))
    assert str(caught.value) == (
        f"annotations.csv lacks the columns “{LIMBS}”, “Annotator”. Unexpected: the columns “Arms”, “Rater”."
    )


def test_a_header_alone_is_refused(study: StudyFolder) -> None:
    with pytest.raises(StudyRefused) as caught:
        read_sheet(study.sheet())
    assert str(caught.value) == "annotations.csv has a header but no rows."


def test_an_image_id_may_stand_for_the_names(study: StudyFolder) -> None:
    row = sheet_row("sdxl_hug_01") | {"Model": "", "Prompt": "", "Pic Num.": ""}
    sheet = read_sheet(study.sheet(row))
    assert sheet.refused == ()
    assert [(row.image_id, row.generator, row.prompt, row.number) for row in sheet.rows] == [
        ("sdxl_hug_01", "", "", None)
    ]
