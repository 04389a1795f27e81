"""Pages of reports: who sees what in which state, their sections, files, and what has changed since."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.test import Client

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from analysis.stats.generic.tables import rows_of
from annotator.models import Membership, Project
from annotator.work.liveness import sign_of_life
from tests.analysis.reading import section, whole_page
from tests.analysis.wider_study import report_of
from tests.factories import ANNOTATOR, make_member
from tests.support.codes import codes

PAGE = "/projects/study/reports/agreement/"
STATUS = "/projects/study/reports/agreement/status/"
REFRESH = "/projects/study/reports/agreement/refresh/"
JSON = "/projects/study/reports/agreement.json"


@pytest.fixture(autouse=True)
def _wake_ups_stay_here(db: None, sent: list[int]) -> None:
    """No message leaves, and a worker is alive."""
    sign_of_life()


def computed(project: Project, kind: str = "agreement") -> Report:
    report = request_report(project=project, kind=kind)
    run_report(report.pk)
    report.refresh_from_db()
    assert report.status == "done"
    return report


def text(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


# Who may see it


def test_a_refresh_needs_a_post_and_a_token(project: Project, lead: Membership, client: Client) -> None:
    assert client.get(REFRESH)["Location"] == REFRESH.removesuffix("refresh/")
    strict = Client(enforce_csrf_checks=True)
    assert lead.user is not None
    strict.force_login(lead.user)
    assert strict.post(REFRESH).status_code == 403
    assert Report.objects.count() == 0


# What they see


def test_the_end_stops_the_polling_and_brings_the_numbers(
    project: Project, lead: Membership, client: Client
) -> None:
    computed(project)
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
    computed(project)
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
    before = Report.objects.get().checked_at
    client.post(REFRESH)
    run_report(Report.objects.latest("pk").pk)
    page = text(client, PAGE)
    assert "checked" in codes(page)
    assert "up-to-date" in codes(page)
    after = Report.objects.get().checked_at
    assert before is not None
    assert after is not None
    assert after > before


# Downloads


def test_the_json_file(project: Project, lead: Membership, client: Client) -> None:
    report = computed(project)
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
    report = computed(project)
    expected = f"/projects/study/reports/agreement/{report.pk}/disagreements/?show=open"
    assert client.get(address).headers["Location"] == expected
    own = make_member(project, ANNOTATOR)
    assert own.user is not None
    client.force_login(own.user)
    assert client.get(address).status_code == 404


REPORTS = "/projects/wide/reports"


@pytest.fixture
def comparison(wide: Project) -> Report:
    return report_of(wide, "comparison")


def ids(html: str) -> list[str]:
    return re.findall(r' id="([^"]+)"', html)


@pytest.mark.slow  # the largest page and all its sections
def test_the_page_holds_no_table_but_every_address(comparison: Report, client: Client) -> None:
    path = f"{REPORTS}/comparison/"
    page = client.get(path).content.decode()
    assert "<table" not in page
    assert "data-chart" not in page
    wanted = [each for each in ids(whole_page(client, path)[len(page) :]) if "-title" not in each]
    # A link to a figure or table opens its fold, with or without script.
    places = {each for each in wanted if not each.startswith(("id_", "methods-"))}
    assert len(places) > 20
    assert places - set(ids(page)) == set()
    assert len(set(ids(page))) == len(ids(page))


def test_without_htmx_a_section_is_a_page(comparison: Report, client: Client) -> None:
    place = f"{REPORTS}/comparison/{comparison.pk}/sections/generators/"
    page = client.get(place).content.decode()
    assert "<h1>Comparison: Generators</h1>" in page
    piece = section(client, place)
    assert 'id="weights"' in piece
    assert piece[piece.index("<table") : piece.index("</table>")] in page


@pytest.fixture
def report(project: Project, sent: list[int]) -> Report:
    """A finished report on agreement."""
    asked = request_report(project=project, kind="agreement")
    run_report(asked.pk)
    return Report.objects.get(pk=asked.pk)


def address(report: Report, name: str = "pairs") -> str:
    return f"/projects/{report.project.slug}/reports/{report.kind}/{report.pk}/{name}.csv"


def test_every_table_is_a_file(report: Report, lead: Membership, client: Client) -> None:
    page = whole_page(client, "/projects/study/reports/agreement/")
    assert f'href="{address(report)}"' in page
    response = client.get(address(report))
    assert response["Content-Disposition"] == (
        f'attachment; filename="study-agreement-anatomy-pairs-{report.finished_at:%Y-%m-%d}.csv"'
    )
    rows = list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))
    assert report.result is not None
    pairs = rows_of(report.result, "pairs")
    assert [row["Images"] for row in rows] == [str(pair["images"]) for pair in pairs]
    assert client.get(address(report, "nonsense")).status_code == 404


def test_what_is_not_finished_has_no_table(report: Report, lead: Membership, client: Client) -> None:
    assert client.get(address(report).replace("agreement", "comparison")).status_code == 404
    Report.objects.filter(pk=report.pk).update(status="failed")
    assert client.get(address(report)).status_code == 404
