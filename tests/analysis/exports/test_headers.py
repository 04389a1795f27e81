"""Column names, published and tidy, and a table of a report as CSV."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from analysis.exports.layout import TIDY, TIDY_NAMES
from analysis.exports.registry import layouts_of
from analysis.exports.requests import ExportRequest
from analysis.exports.table_csv import table_csv
from analysis.tables.table import Heading, Table, TableCell, count, name, number
from annotator.models import Event, Project
from scoring.service import PROTOCOLS
from tests.factories import LEAD, make_member

pytestmark = pytest.mark.django_db


def lines_of(project: Project, layout: str, header: str, form: str = "csv") -> list[str]:
    export = ExportRequest(layout, form, header=header).export(project)
    return b"".join(export).decode().splitlines()


@pytest.mark.parametrize("layout", ["scores", "marks", "images"])
def test_only_the_header_differs(project: Project, layout: str) -> None:
    published, tidy = (lines_of(project, layout, header) for header in ("published", "tidy"))
    assert published[1:] == tidy[1:]
    (before,), (after,) = (list(csv.reader(io.StringIO(lines[0]))) for lines in (published, tidy))
    assert after == [TIDY_NAMES.get(name, name) for name in before]
    assert "image_id" in after


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS))
def test_every_layout_describes_its_tidy_columns(protocol: str) -> None:
    for layout in layouts_of(protocol).values():
        tidy = layout.with_header(TIDY)
        assert len(tidy.headings) == len(layout.headings)
        assert layout.with_header("published") is layout
        assert (tidy is layout) == (layout.slug == "sheet")


def test_the_sheet_stays_as_published(project: Project) -> None:
    words = "Sheet has only the published header, so that it can be imported again."
    assert ExportRequest("sheet", header=TIDY).problems() == {"header": words}
    assert ExportRequest("scores", header=TIDY).problems() == {}


def test_the_page_offers_it(project: Project, client: Client) -> None:
    member = make_member(project, LEAD)
    assert member.user is not None
    client.force_login(member.user)
    page = client.get("/projects/study/exports/").content.decode()
    assert 'name="header" value="published" checked' in page
    assert 'data-code="about-scores"' in page
    sent = {"layout": "scores", "format": "csv", "header": "tidy"}
    answer = client.post("/projects/study/exports/", sent)
    assert b"".join(answer.streaming_content).startswith(b"image_id,generator,prompt,number,missing_torso,")  # type: ignore[attr-defined]
    assert Event.objects.get(verb="exported").data["header"] == "tidy"
    refused = client.post("/projects/study/exports/", {**sent, "layout": "sheet"})
    assert (refused.status_code, refused.context["form"].errors["header"]) == (
        422,
        ["Sheet has only the published header, so that it can be imported again."],
    )
    unknown = client.post("/projects/study/exports/", {**sent, "header": "loud"})
    assert unknown.context["form"].errors == {"header": ["Unknown column names. Choose others."]}


def test_plain_numbers_reasons_and_no_formulas() -> None:
    table = Table(
        slug="t",
        title="T",
        words="",
        headings=(Heading("Who"), Heading("n", numeric=True), Heading("Mean", numeric=True)),
        rows=(
            (name('=HYPERLINK("x")'), count(1234567), number(-1234.5, 1)),
            (name("a,b"), count(0), number(None, 2, undefined="too few: 1 image")),
            (name("c"), count(3), TableCell("−0.50 [−1.25, 1,000.75]", numeric=True)),
        ),
    )
    assert table_csv(table) == (
        "Who,n,Mean,Mean: why not\r\n"
        '"\'=HYPERLINK(""x"")",1234567,-1234.5,\r\n'
        '"a,b",0,,too few: 1 image\r\n'
        'c,3,"-0.50 [-1.25, 1000.75]",\r\n'
    )
