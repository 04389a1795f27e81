"""What the filters let through, what images say, who stands under which name, and how columns are called."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client

from analysis.exports.files import Export
from analysis.exports.filters import Filters
from analysis.exports.layout import TIDY_NAMES, Layout
from analysis.exports.registry import layouts_of
from analysis.exports.requests import ExportRequest
from analysis.exports.table_csv import table_csv
from analysis.pseudonyms import pseudonyms
from analysis.tables.table import Heading, Table, TableCell, count, name, number
from annotator.models import Annotation, Event, Project
from scoring.grid.taxonomy import CELL_BY_KEY, CELLS
from tests.analysis.factories import make_submitted, make_unread
from tests.annotator.adjudicating import make_case, settle, withdraw
from tests.factories import LEAD, make_batch, make_image, make_member, make_payload, make_project, user_of

pytestmark = pytest.mark.django_db

HEADINGS = [cell.heading for cell in CELLS]


def rows(project: Project, layout: str, *, hidden: bool = False, **filters: Any) -> list[dict[str, str]]:
    request = ExportRequest(layout, "csv", Filters(**filters), hidden)
    assert ExportRequest.from_json(request.as_json()) == request
    text = b"".join(request.export(project)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_every_filter_that_is_set_must_hold(project: Project) -> None:
    first = project.memberships.get(code="anno1")
    assert len(rows(project, "scores", annotators=(first.pk,))) == 4
    assert len(rows(project, "scores", annotators=(first.pk,), generators=("alpha",))) == 2
    (row,) = rows(project, "scores", annotators=(first.pk,), generators=("alpha",), prompts=("hugging",))
    assert (row["Image Id"], row["cumulative_score"]) == ("alpha_hugging_01", "0")
    assert rows(project, "scores", batches=(project.batches.get().pk,), prompts=("nothing",)) == []


def test_days_are_whole_days_in_utc() -> None:
    project = make_project()
    member = make_member(project)
    for hour, minute in ((0, 0), (23, 59)):
        make_submitted(member, submitted_at=datetime(2026, 3, 1, hour, minute, tzinfo=UTC))
    day, before = date(2026, 3, 1), date(2026, 2, 28)
    assert len(rows(project, "scores", since=day, until=day)) == 2
    assert rows(project, "scores", until=before) == []
    assert rows(project, "scores", since=date(2026, 3, 2)) == []


def test_an_answer_of_which_nothing_was_read_has_no_numbers_and_counts_nowhere(project: Project) -> None:
    second, image = project.memberships.get(code="anno2"), project.images.earliest("pk")
    before = rows(project, "scores")
    images = rows(project, "images")
    # A later answer of the same person, and one on an image of its own.
    make_unread(second, image, make_batch(project, name="second"))
    make_unread(second, make_image(project), make_batch(project, name="third"))
    *same, again, alone = rows(project, "scores")
    assert same == before
    for row in (again, alone):
        numbers = [row[name] for name in (*HEADINGS, "cumulative_score", "severity_a", "overall_severity")]
        assert (set(numbers), row["status"]) == ({""}, "submitted")
    *same, unread = rows(project, "images")
    assert same == images
    told = [unread[name] for name in ("cumulative_score", "value", "annotations", "annotators")]
    assert told == ["", "unread", "0", ""]


def test_an_image_is_the_mean_of_its_judges_and_the_latest_of_each_counts(project: Project) -> None:
    first = project.memberships.get(code="anno1")
    image = project.images.get(generator="alpha", prompt="jogging")
    (row, *_) = rows(project, "images")
    assert [row[name] for name in ("cumulative_score", "annotations", "annotators", "sha256")] == [
        *("0.1875", "2", "anno1; anno2", image.sha256)
    ]
    make_submitted(first, [("missing.limbs", "1/1c")], image=image)
    (row, *others) = rows(project, "images")
    assert (row["cumulative_score"], row["annotations"], len(others)) == ("0.5625", "2", 3)


def test_what_a_lead_adjudicated_takes_the_place_of_the_mean(project: Project) -> None:
    case = make_case(project, project.images.get(generator="alpha", prompt="jogging"))
    told = ("cumulative_score", "severity_c", "value", "annotations", "annotators")

    def first() -> list[str]:
        return [rows(project, "images")[0][name] for name in told]

    # Of the study one quarter severe and one moderate; the case has later answers of the same two.
    assert first() == [*("0.2916666666666667", "0.125", "mean", "2", "anno1; anno2")]
    settle(case, make_payload([("missing.limbs", "1/4c")]))
    assert first() == [*("0.25", "0.25", "adjudicated", "2", "anno1; anno2")]
    project.weights = {"a": "0.2", "b": "0.5", "c": "2"}
    project.save()
    assert first()[0] == "0.5"
    withdraw(case)
    assert first()[2] == "mean"
    assert [row["value"] for row in rows(project, "images")] == ["mean", "mean", "mean", "single"]


def test_pseudonyms_are_stable_and_everywhere(project: Project) -> None:
    names = pseudonyms(project)
    assert len(set(names.values())) == len(names)
    for layout in ("sheet", "scores", "marks", "images"):
        text = str(rows(project, layout, hidden=True))
        assert "anno1" not in text
        assert names["anno1"] in text
    project.memberships.filter(code="anno1").update(code="renamed")
    assert pseudonyms(project)["renamed"] == names["anno1"]
    other = make_project()
    assert pseudonyms(other).get(make_member(other, code="anno1").code) != names["anno1"]


def test_bands_do_not_depend_on_filters() -> None:
    project = make_project()
    member = make_member(project)
    for affected in (1, 2, 3, 4, 5, 6, 7):
        make_submitted(member, [("missing.limbs", f"{affected}/8c")], image=make_image(project))
    # Of fewer than 8 scores, quantiles say little.
    assert {row["overall_severity"] for row in rows(project, "scores")} == {""}
    make_submitted(member, [("missing.limbs", "8/8c")], image=make_image(project))
    bands = [row["overall_severity"] for row in rows(project, "scores")]
    assert bands == ["low", "low", "low", "low", "medium", "medium", "high", "high"]
    image = project.images.latest("pk")
    Annotation.objects.filter(assignment__image=image).update(submitted_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert [row["overall_severity"] for row in rows(project, "scores", until=date(2020, 1, 1))] == ["high"]


@pytest.mark.parametrize("layout", ["scores", "marks", "images"])
def test_only_the_header_differs(project: Project, layout: str) -> None:
    asked = (ExportRequest(layout, "csv", header=header) for header in ("published", "tidy"))
    published, tidy = (b"".join(each.export(project)).decode().splitlines() for each in asked)
    assert published[1:] == tidy[1:]
    (before,), (after,) = (list(csv.reader(io.StringIO(lines[0]))) for lines in (published, tidy))
    assert after == [TIDY_NAMES.get(name, name) for name in before]
    assert "image_id" in after


def test_the_page_offers_it(project: Project, client: Client) -> None:
    client.force_login(user_of(make_member(project, LEAD)))
    page = client.get("/projects/study/exports/").content.decode()
    assert 'name="header" value="published" checked' in page
    assert 'data-code="about-scores"' in page
    sent = {"layout": "scores", "format": "csv", "header": "tidy"}
    answer = client.post("/projects/study/exports/", sent)
    assert b"".join(answer.streaming_content).startswith(b"image_id,generator,prompt,number,missing_torso,")  # type: ignore[attr-defined]
    assert Event.objects.get(verb="exported").data["header"] == "tidy"
    for wrong in ({"layout": "sheet"}, {"header": "loud"}):
        refused = client.post("/projects/study/exports/", sent | wrong)
        assert (refused.status_code, list(refused.context["form"].errors)) == (422, ["header"])


def test_plain_numbers_reasons_and_no_formulas() -> None:
    table = Table(
        slug="t",
        title="T",
        words="",
        headings=(Heading("Who"), Heading("n", numeric=True), Heading("Mean", numeric=True)),
        rows=(
            (name('=HYPERLINK("x")'), count(1234567), number(-1234.5, 1)),
            (name("a,b"), count(0), number(None, 2, undefined="too few: 1 of 5 images")),
            (name("c"), count(3), TableCell("−0.50 [−1.25, 1,000.75]", numeric=True)),
        ),
    )
    assert table_csv(table) == (
        "Who,n,Mean,Mean: why not\r\n"
        '"\'=HYPERLINK(""x"")",1234567,-1234.5,\r\n'
        '"a,b",0,,too few: 1 of 5 images\r\n'
        'c,3,"-0.50 [-1.25, 1000.75]",\r\n'
    )


LAYOUTS = layouts_of("anatomy")


def exported(project: Project, layout: Layout) -> bytes:
    return b"".join(Export(project, layout))


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


def test_a_cell_that_still_says_the_same_is_written_as_it_was_and_another_is_canonical() -> None:
    project = make_project()
    cells = {"missing.limbs": "1/4b, 2/4c", "extra.hands": "1/5", "missing.face": "2/2A,1/2"}
    marks = [("missing.limbs", "1/4b"), ("missing.limbs", "2/4c"), ("missing.face", "2/2a")]
    annotation = imported(project, cells, marks)
    (row,) = rows(project, "sheet")
    assert row["Image Id"] == "sd_xl_07"
    assert {key: row[heading(key)] for key in cells} == cells
    for changed, written in (
        (("missing.limbs", "1/4b"), ("1/4b", "1/5")),
        (("extra.hands", "1/5c"), ("", "1/5c")),
    ):
        Annotation.objects.filter(pk=annotation.pk).update(payload=make_payload([changed]))
        (row,) = rows(project, "sheet")
        assert (row[heading("missing.limbs")], row[heading("extra.hands")]) == written


def test_scores_follow_the_weights_of_the_project() -> None:
    project = make_project(weights={"a": "0.1", "b": "1/3", "c": "2"})
    make_submitted(make_member(project), [("missing.limbs", "1/2b"), ("missing.limbs", "1/2c")])
    (row,) = rows(project, "scores")
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
    (row,) = rows(project, layout.slug)
    texts = {"Model", "Prompt", "Annotator", "annotators", "batch"} & row.keys()
    assert len(texts) >= 3
    assert {row[column] for column in texts} == {f"'{name}"}
