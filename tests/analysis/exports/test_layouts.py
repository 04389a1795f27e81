"""The three layouts, cell by cell."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from analysis.exports.anatomy.layouts import SCORES, SHEET
from analysis.exports.files import Export
from analysis.exports.layout import Layout
from analysis.exports.registry import layouts_of
from annotator.models import Annotation, Project
from scoring.grid.taxonomy import CELL_BY_KEY
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_member, make_payload, make_project

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


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_no_text_becomes_a_formula(layout: Layout) -> None:
    project, name = make_project(), "=1+1"
    image = make_image(project, generator=name, prompt=name, number=1)
    make_submitted(make_member(project, code=name), image=image, batch=make_batch(project, name=name))
    (row,) = rows_of(project, layout)
    texts = {"Model", "Prompt", "Annotator", "annotators", "batch"} & row.keys()
    assert len(texts) >= 3
    assert {row[column] for column in texts} == {f"'{name}"}


def test_the_published_study_comes_out_as_it_went_in(published: Project, study_data: Path) -> None:
    original = (study_data / "data" / "annotations.csv").read_bytes()
    assert exported(published, SHEET) == original
