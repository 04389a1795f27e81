"""The tidy header: the same columns under names for scripts; the published one stays the default."""

from __future__ import annotations

import csv
import io
from datetime import date
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.exports.layout import TIDY, TIDY_NAMES
from analysis.exports.registry import layouts_of
from analysis.exports.requests import ExportRequest, in_words
from annotator.models import Event, Project
from scoring.service import PROTOCOLS
from tests.factories import LEAD, make_member

pytestmark = pytest.mark.django_db


def lines_of(project: Project, layout: str, header: str, form: str = "csv") -> list[str]:
    export = ExportRequest(layout, form, header=header).export(project)
    return b"".join(export).decode().splitlines()


def test_names_are_distinct_and_need_no_quotes() -> None:
    names = list(TIDY_NAMES.values())
    assert names[:7] == [
        *("image_id", "generator", "prompt", "number", "annotator"),
        *("missing_torso", "missing_limbs"),
    ]
    assert names[-1] == "proportion_face"
    assert len(set(names)) == 30
    assert all(name.isidentifier() for name in names)


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


def test_a_request_is_read_back(project: Project) -> None:
    request = ExportRequest("scores", header=TIDY)
    assert ExportRequest.from_json(request.as_json()) == request
    assert "header" not in ExportRequest("scores").as_json()
    assert request.file_name(project, date(2026, 3, 1)) == "study-scores-tidy-2026-03-01.csv"
    assert in_words(project, request) == "tidy header"


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


def test_the_command_writes_it(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    options = {"project": "study", "output": str(path), "header": "tidy", "verbosity": 0}
    call_command("export", layout="images", **options)
    assert path.read_text().startswith("image_id,generator,prompt,number,")
    with pytest.raises(CommandError, match="only the published header"):
        call_command("export", layout="sheet", **options)
