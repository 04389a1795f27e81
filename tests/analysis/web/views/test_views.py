"""Pages of reports: who sees what in which state, their sections, figures, files, and what has changed."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from pytest_django.fixtures import Settings

from analysis.figures.generic import figures
from analysis.models import Report
from analysis.reports.lifecycle import run_report
from analysis.sections import LAYOUTS, TWINS, page_of_report
from analysis.stats.generic.tables import rows_of
from analysis.tables.generic import result_tables
from analysis.web.views.figures import LINK, linked
from annotator.gallery.filters import read_filter
from annotator.models import Annotation, Image, Membership, Project
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.factories import make_submitted
from tests.analysis.figures.test_figures import COMPUTED, results
from tests.analysis.first_screen.test_screen import scored
from tests.analysis.reading import rows_in, section, whole_page
from tests.analysis.wider_study import report_of
from tests.factories import LEAD, make_batch, make_member, make_project, png_bytes, user_of
from tests.support.codes import codes

PAGE = "/projects/study/reports/agreement/"
STATUS = "/projects/study/reports/agreement/status/"
REFRESH = "/projects/study/reports/agreement/refresh/"
JSON = "/projects/study/reports/agreement.json"


pytestmark = pytest.mark.usefixtures("worker")


def text(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_the_end_stops_the_polling_and_brings_the_numbers(
    project: Project, lead: Membership, client: Client
) -> None:
    report_of(project, "agreement")
    response = client.get(STATUS)
    assert response.status_code == 286
    fragment = response.content.decode()
    assert '<div id="report-numbers" hx-swap-oob="true">' in fragment
    assert 'id="pairs" hx-get="/projects/study/reports/agreement/' in fragment
    assert "<html" not in fragment


def test_a_failed_report_says_why_and_keeps_the_last_numbers(
    project: Project, lead: Membership, client: Client
) -> None:
    Report.objects.create(project=project, kind="agreement", status="failed", error="Because of <x>.")
    page = text(client, PAGE)
    assert "failed" in codes(page)
    assert "Because of &lt;x&gt;." in page
    assert ">Refresh</button>" in page
    Report.objects.all().delete()
    report_of(project, "agreement")
    Report.objects.create(project=project, kind="agreement", status="failed", error="Because.")
    page = text(client, PAGE)
    assert "failed" in codes(page)
    assert "Because." in page
    assert "last-computed" in codes(page)
    assert "anno1 – anno2" in whole_page(client, PAGE)


def test_a_refresh_asks_once_and_computes_only_what_has_changed(
    project: Project, lead: Membership, client: Client
) -> None:
    assert client.post(REFRESH)["Location"] == PAGE
    client.post(REFRESH)
    (report,) = Report.objects.all()
    assert (report.status, report.requested_by) == ("queued", lead.user)
    run_report(report.pk)
    client.post(REFRESH)
    run_report(Report.objects.latest("pk").pk)
    page = text(client, PAGE)
    assert "up-to-date" in codes(page)


def test_the_json_file(project: Project, lead: Membership, client: Client) -> None:
    report = report_of(project, "agreement")
    response = client.get(JSON)
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == (
        f'attachment; filename="study-agreement-anatomy-{report.finished_at:%Y-%m-%d}.json"'
    )
    assert json.loads(response.content) == report.result


def test_review_opens_the_newest_disagreements(project: Project, lead: Membership, client: Client) -> None:
    address = "/projects/study/disagreements/"
    assert codes(client.get(address)) == ["no-disagreements"]
    waiting = [Report.objects.create(project=project, kind=kind) for kind in ("agreement", "comparison")]
    report_pages = [f"/projects/study/reports/comparison/{name}/" for name in ("body-map", "prompts")]
    assert all("first-numbers" in codes(client.get(page)) for page in (address, *report_pages))
    for report in waiting:
        report.delete()
    report = report_of(project, "agreement")
    expected = f"/projects/study/reports/agreement/{report.pk}/disagreements/?show=open"
    assert client.get(address).headers["Location"] == expected


REPORTS = "/projects/wide/reports"


def test_without_htmx_a_section_is_a_page(wide: Project, client: Client) -> None:
    comparison = report_of(wide, "comparison")
    place = f"{REPORTS}/comparison/{comparison.pk}/sections/generators/"
    page = client.get(place).content.decode()
    assert "<h1>Comparison: Generators</h1>" in page
    piece = section(client, place)
    assert 'id="weights"' in piece
    assert piece[piece.index("<table") : piece.index("</table>")] in page


@pytest.fixture
def report(project: Project, sent: list[int]) -> Report:
    """A finished report on agreement."""
    return report_of(project, "agreement")


def address(report: Report, name: str = "pairs") -> str:
    return f"/projects/{report.project.slug}/reports/{report.kind}/{report.pk}/{name}.csv"


def test_every_table_is_a_file(report: Report, lead: Membership, client: Client) -> None:
    page = whole_page(client, "/projects/study/reports/agreement/")
    assert f'href="{address(report)}"' in page
    response = client.get(address(report))
    assert response["Content-Disposition"] == (
        f'attachment; filename="study-agreement-anatomy-pairs-{report.finished_at:%Y-%m-%d}.csv"'
    )
    rows = rows_in(response)
    assert report.result is not None
    pairs = rows_of(report.result, "pairs")
    assert [row["Images"] for row in rows] == [str(pair["images"]) for pair in pairs]
    assert client.get(address(report, "nonsense")).status_code == 404


def test_what_is_not_finished_has_no_table(report: Report, lead: Membership, client: Client) -> None:
    assert client.get(address(report).replace("agreement", "comparison")).status_code == 404
    Report.objects.filter(pk=report.pk).update(status="failed")
    assert client.get(address(report)).status_code == 404


COMPARISON = "/projects/wide/reports/comparison/"


def test_haste_stays_when_another_protocol_is_added(wide: Project, client: Client) -> None:
    report_of(wide, "comparison")
    Annotation.objects.update(active_ms=500)
    report_of(wide, "quality")
    assert client.get(COMPARISON).context["screen"]["trust"]["data"].verdict == "stop"
    later = make_batch(wide, protocol="presence")
    for code in ("anno1", "anno2"):
        for _ in range(4):
            make_submitted(wide.memberships.get(code=code), [], batch=later, active_ms=40_000)
    address = f"{COMPARISON}?protocol=anatomy"
    light = client.get(address).context["screen"]["trust"]["data"]
    assert light.verdict == "stop"
    assert "0.5 s" in light.words
    Annotation.objects.filter(assignment__batch__protocol="anatomy").update(active_ms=40_000)
    report_of(wide, "quality")
    assert client.get(address).context["screen"]["trust"]["data"].verdict == "fine"


@pytest.mark.parametrize("kind", COMPUTED)
def test_every_mark_opens_a_gallery_that_understands_it(kind: str) -> None:
    checked = 0
    for made in figures(results()[kind]):
        for rows in linked(made).drawn.values():
            for row in rows:
                given: dict[str, list[str]] = {}
                for name, value in parse_qsl(row[LINK]):
                    given.setdefault(name, []).append(value)
                kept, problems = read_filter(given, ANATOMY)
                assert (bool(kept), problems) == (True, []), (made.slug, row)
                checked += 1
    assert checked


ADDRESS = "/projects/bodies/reports/comparison/metrics/"


def with_copy(image: Image, colour: str) -> str:
    """Give an image a display copy, and return the copy as a data address."""
    image.display.save(f"order-{image.sha256}.jpg", ContentFile(png_bytes(color=colour)), save=False)
    image.display_state = Image.DisplayState.READY
    image.save()
    return f"data:image/jpeg;base64,{b64encode(png_bytes(color=colour)).decode()}"


def test_the_drawing_has_the_images_inside_in_both_orders(
    client: Client, tmp_path: Path, settings: Settings
) -> None:
    settings.MEDIA_ROOT = tmp_path
    bodies = make_project("bodies")
    client.force_login(user_of(make_member(bodies, LEAD)))
    images = scored(bodies, [4, 0], [0.5, 0.25])
    addresses = [with_copy(image, colour) for image, colour in zip(images, ("red", "blue"), strict=True)]
    answer = client.get(f"{ADDRESS}order.svg")
    svg = answer.content.decode()
    assert answer["Content-Type"] == "image/svg+xml"
    assert [address in svg for address in addresses] == [True, True]
    first, second = (f"#i{image.pk}" for image in images)
    assert re.findall(r'<use href="(#i\d+)"', svg) == [second, first, first, second]
    png = client.get(f"{ADDRESS}order.png").content
    assert png.startswith(b"\x89PNG")
    assert len(png) > 2_000


@pytest.mark.parametrize("kind", LAYOUTS)
def test_everything_stands_in_one_place(wide: Project, kind: str) -> None:
    report = report_of(wide, kind)
    reading = page_of_report(report, wide)
    tables = [table.slug for table in result_tables(report.result or {})]
    drawn = [figure.slug for figure in figures(report.result or {})]
    sections = reading.sections
    assert sorted(one.table.slug for each in sections for one in each.tables) == sorted(tables)
    assert sorted(one.figure.slug for each in sections for one in each.figures) == sorted(drawn)
    assert {TWINS[name] for name in TWINS.keys() & set(drawn)} <= set(tables)
    assert reading.findings
    assert "saw neither the prompt nor the generator." in reading.methods
    addresses = [place for section in reading.sections for place in (section.slug, *dict(section.contents))]
    assert len(set(addresses)) == len(addresses), "an address in the page names one thing"
