"""The three layouts, cell by cell."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from analysis.exports.anatomy.layouts import MARKS, SCORES, SHEET
from analysis.exports.files import Export
from analysis.exports.layout import Layout
from analysis.exports.registry import layouts_of
from annotator.models import Annotation, Project
from scoring.grid.taxonomy import BODY_PARTS, CELL_BY_KEY, COUNT_KINDS, SHEET_COLUMNS
from tests.analysis.factories import EARLIER, make_submitted
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, make_project

LAYOUTS = layouts_of("anatomy")

pytestmark = pytest.mark.django_db


def exported(project: Project, layout: Layout) -> bytes:
    return b"".join(Export(project, layout))


def rows_of(project: Project, layout: Layout) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(exported(project, layout).decode(), newline="")))


def heading(key: str) -> str:
    return CELL_BY_KEY[key].heading


def imported(project: Project, cells: dict[str, str], marks: list[tuple[str, str]]) -> Annotation:
    """An answer with the row it came from; `cells` are written texts by cell key."""
    source = {
        "file": "annotations.csv",
        "row": 2,
        "image_id": "sd_xl_07",
        "cells": {heading(key): text for key, text in cells.items()},
        "problems": [],
    }
    return make_submitted(make_member(project), marks, source=source)


def test_the_sheet_in_full() -> None:
    project = make_project()
    image = make_image(project, generator="dall-e3", prompt="couple hugging", number=1)
    marks = [("missing.limbs", "2/4c"), ("configuration.face", "1/2b"), ("configuration.face", "1/2a")]
    make_submitted(make_member(project, code="anno1"), marks, image=image)
    line = 'dall-e3_couple hugging_01,dall-e3,couple hugging,1,,2/4c,,,,,,,,,,,,,"1/2a,1/2b",,,,,,,,,,,anno1'
    assert exported(project, SHEET) == f"{','.join(SHEET_COLUMNS)}\r\n{line}".encode()


def test_a_cell_that_still_says_the_same_is_written_as_it_was() -> None:
    project = make_project()
    cells = {"missing.limbs": "1/4b, 2/4c", "extra.hands": "1/5", "missing.face": "2/2A,1/2"}
    marks = [("missing.limbs", "1/4b"), ("missing.limbs", "2/4c"), ("missing.face", "2/2a")]
    imported(project, cells, marks)
    (row,) = rows_of(project, SHEET)
    assert row["Image Id"] == "sd_xl_07"
    assert {key: row[heading(key)] for key in cells} == cells


def test_a_cell_that_was_changed_is_canonical() -> None:
    project = make_project()
    annotation = imported(
        project, {"missing.limbs": "1/4b, 2/4c", "extra.hands": "1/5"}, [("missing.limbs", "1/4b")]
    )
    (row,) = rows_of(project, SHEET)
    assert (row[heading("missing.limbs")], row[heading("extra.hands")]) == ("1/4b", "1/5")
    Annotation.objects.filter(pk=annotation.pk).update(payload=make_payload([("extra.hands", "1/5c")]))
    (row,) = rows_of(project, SHEET)
    assert (row[heading("missing.limbs")], row[heading("extra.hands")]) == ("", "1/5c")


def test_scores_in_full() -> None:
    """The manual's worked example: 67/60."""
    project = make_project(tags=["", "=twinning", "stereotype"])
    image = make_image(project, generator="dall-e3", prompt="pizza", number=3)
    marks = [
        ("missing.limbs", "1/4c"),
        ("missing.hands", "1/3b"),
        ("missing.face", "2/2a"),
        ("configuration.hands", "1/3b"),
        ("configuration.hands", "1/3c"),
    ]
    make_submitted(
        make_member(project, code="ann"),
        payload=make_payload(marks, people=2, tags=[1, 2]),
        image=image,
        batch=make_batch(project, name="pilot"),
        submitted_at=EARLIER,
    )
    (row,) = rows_of(project, SCORES)
    scores = {column: text for column, text in row.items() if "Error-" in column and text != "0"}
    assert scores == {
        heading("missing.limbs"): "0.25",
        heading("missing.hands"): "0.16666666666666666",
        heading("missing.face"): "0.2",
        heading("configuration.hands"): "0.5",
    }
    assert {column: text for column, text in row.items() if "Error-" not in column} == {
        "Image Id": "dall-e3_pizza_03",
        "Model": "dall-e3",
        "Prompt": "pizza",
        "Pic Num.": "3",
        "cumulative_score": "1.1166666666666667",
        "severity_a": "1",
        "severity_b": "0.6666666666666666",
        "severity_c": "0.5833333333333334",
        "overall_severity": "",
        "people": "2",
        "tag_1": "'=twinning",
        "tag_2": "",
        "batch": "pilot",
        "status": "submitted",
        "submitted_at": "2026-03-01T09:30:00Z",
        "Annotator": "ann",
        **{f"{kind}_{part}": "" for kind in COUNT_KINDS for part in BODY_PARTS},
        "drawn": "single",
        "guideline": "",
    }


def test_scores_follow_the_weights_of_the_project() -> None:
    project = make_project(weights={"a": "0.1", "b": "1/3", "c": "2"})
    make_submitted(make_member(project), [("missing.limbs", "1/2b"), ("missing.limbs", "1/2c")])
    (row,) = rows_of(project, SCORES)
    assert row["cumulative_score"] == "1.1666666666666667"


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_project_without_answers_has_a_heading(layout: Layout) -> None:
    assert exported(make_project(), layout).decode().strip() == ",".join(layout.headings)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_only_submitted_answers_of_the_project_are_exported(project: Project, layout: Layout) -> None:
    before = exported(project, layout)
    make_submitted(make_member(make_project()), [("extra.hands", "1/3b")])
    for status in ("draft", "reopened"):
        make_submitted(make_member(project), [("extra.hands", "1/3b")], status=status)
    assert exported(project, layout) == before


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("-", "-"),
        ("a=1", "a=1"),
        ('"=1', '"=1'),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_no_text_becomes_a_formula(layout: Layout, name: str, written: str) -> None:
    project = make_project()
    image = make_image(project, generator=name, prompt=name, number=1)
    assignment = make_assignment(
        make_member(project, code=name), image=image, batch=make_batch(project, name=name), status="done"
    )
    make_submitted(assignment.annotator, assignment=assignment)
    (row,) = rows_of(project, layout)
    author = "Annotator" if "Annotator" in layout.headings else "annotators"
    texts = ["Model", "Prompt", author, *(["batch"] if "batch" in layout.headings else [])]
    assert [row[column] for column in texts] == [written] * len(texts)


def test_the_published_study_comes_out_as_it_went_in(published: Project, study_data: Path) -> None:
    original = (study_data / "data" / "annotations.csv").read_bytes()
    assert exported(published, SHEET) == original


def test_the_published_study_has_these_scores(published: Project) -> None:
    rows = rows_of(published, SCORES)
    dalle = [float(row["cumulative_score"]) for row in rows if row["Model"] == "dall-e3"]
    assert (len(rows), len(dalle)) == (300, 100)
    assert sum(dalle) / len(dalle) == pytest.approx(0.819971759285967, abs=1e-12)
    by_mark: dict[tuple[str, str], float] = {}
    for mark in rows_of(published, MARKS):
        key = (mark["Image Id"], mark["Annotator"])
        by_mark[key] = by_mark.get(key, 0.0) + float(mark["score"])
    for row in rows:
        summed = by_mark.get((row["Image Id"], row["Annotator"]), 0.0)
        assert float(row["cumulative_score"]) == pytest.approx(summed, abs=1e-12)
