"""Pages of reports: who sees what in which state, their sections, files, and what has changed since."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import queue_report, request_report, run_report
from analysis.stats.generic.tables import rows_of
from annotator.models import Annotation, Membership, Project
from annotator.work.liveness import sign_of_life
from tests.analysis.factories import make_submitted
from tests.analysis.reading import section, whole_page
from tests.analysis.wider_study import report_of
from tests.factories import ANNOTATOR, REVIEWER, make_member
from tests.support.codes import codes

PAGE = "/projects/study/reports/agreement/"
STATUS = "/projects/study/reports/agreement/status/"
REFRESH = "/projects/study/reports/agreement/refresh/"
JSON = "/projects/study/reports/agreement.json"
EXPORT = "/projects/study/export/scores.csv"


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


@pytest.mark.parametrize("path", [PAGE, STATUS, JSON, EXPORT])
@pytest.mark.few(2)
def test_reading_changes_nothing(project: Project, lead: Membership, client: Client, path: str) -> None:
    computed(project)
    before = list(Report.objects.values())
    client.get(path)
    assert client.post(path).status_code == 405
    assert list(Report.objects.values()) == before


def test_a_refresh_needs_a_post_and_a_token(project: Project, lead: Membership, client: Client) -> None:
    assert client.get(REFRESH).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    assert lead.user is not None
    strict.force_login(lead.user)
    assert strict.post(REFRESH).status_code == 403
    assert Report.objects.count() == 0


# What they see


def test_a_queued_report_is_polled(project: Project, lead: Membership, client: Client) -> None:
    computed(project)
    make_submitted(make_member(project))
    queue_report(project_id=project.pk, kind="agreement")
    page = text(client, PAGE)
    assert f'hx-get="{STATUS}" hx-trigger="every 1s"' in page
    assert "waiting" in codes(page)
    assert "last-computed" in codes(page)
    assert '<noscript><p><a href="/projects/study/reports/agreement/">Reload</a></p></noscript>' in page
    assert "Refresh</button>" not in page
    fragment = text(client, STATUS)
    assert "waiting" in codes(fragment)
    assert "<html" not in fragment
    assert "anno1" not in fragment


def test_a_running_report_shows_its_progress(project: Project, lead: Membership, client: Client) -> None:
    Report.objects.create(project=project, kind="agreement", status="running", progress=40, attempts=1)
    assert '<progress class="report-progress" max="100" value="40"' in text(client, STATUS)
    Report.objects.update(attempts=2)
    assert codes(text(client, STATUS)) == ["taken-over"]


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


def test_markup_in_names_stays_text(project: Project, lead: Membership, client: Client) -> None:
    markup = "<script>alert(1)</script>"
    project.images.filter(generator="beta").update(generator=markup)
    Membership.objects.filter(code="anno1").update(code=markup)
    for kind in ("agreement", "comparison"):
        computed(project, kind)
        page = whole_page(client, f"/projects/study/reports/{kind}/")
        assert markup not in page
        assert "&lt;script&gt;alert(1)" in page


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


def test_a_reviewer_gets_no_links_that_lead_nowhere(project: Project, client: Client) -> None:
    reviewer = make_member(project, REVIEWER)
    assert reviewer.user is not None
    client.force_login(reviewer.user)
    computed(project)
    page = text(client, PAGE)
    assert "/export/" not in page
    assert 'href="/projects/study/"' not in page
    assert 'href="/projects/study/reports/comparison/"' in page


# Downloads


def content_of(response: object) -> bytes:
    assert isinstance(response, StreamingHttpResponse)
    return b"".join(bytes(piece) for piece in response)


def test_the_json_file(project: Project, lead: Membership, client: Client) -> None:
    report = computed(project)
    response = client.get(JSON)
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == (
        f'attachment; filename="study-agreement-anatomy-{report.finished_at:%Y-%m-%d}.json"'
    )
    assert json.loads(response.content) == report.result


def test_the_csv_file_is_streamed(project: Project, lead: Membership, client: Client) -> None:
    response = client.get(EXPORT)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == (
        f'attachment; filename="study-scores-{timezone.now():%Y-%m-%d}.csv"'
    )
    rows = list(csv.DictReader(io.StringIO(content_of(response).decode(), newline="")))
    assert [(row["Annotator"], row["cumulative_score"]) for row in rows] == [
        ("anno1", "0.25"),
        ("anno1", "0"),
        ("anno1", "0.75"),
        ("anno1", "0.2"),
        ("anno2", "0.125"),
        ("anno2", "0.1"),
        ("anno2", "1"),
    ]


def test_review_opens_the_newest_disagreements(project: Project, lead: Membership, client: Client) -> None:
    address = "/projects/study/disagreements/"
    assert codes(client.get(address)) == ["no-disagreements"]
    report = computed(project)
    expected = f"/projects/study/reports/agreement/{report.pk}/disagreements/?show=open"
    assert client.get(address).headers["Location"] == expected
    own = make_member(project, ANNOTATOR)
    assert own.user is not None
    client.force_login(own.user)
    assert client.get(address).status_code == 404


def test_terms_that_could_not_be_read_are_spoken_of(
    project: Project, lead: Membership, client: Client
) -> None:
    report = computed(project)
    assert "not-counted" not in codes(text(client, PAGE))
    report.delete()
    annotation = Annotation.objects.filter(assignment__batch__project=project).earliest("pk")
    source = {"cells": {}, "problems": [{"row": 2, "column": "", "text": "1/5", "reason": ""}]}
    Annotation.objects.filter(pk=annotation.pk).update(source=source, has_unread_terms=True)
    report = computed(project)
    told = 'data-code="not-counted" data-terms-of="{}" data-annotations="{}"'
    assert told.format(1, 0) in text(client, PAGE)
    # Of another one nothing was read: it is missing, which is another thing.
    other = Annotation.objects.filter(assignment__batch__project=project).latest("pk")
    other.payload |= {"marks": [], "no_errors": False}
    other.source, other.has_unread_terms = source, True
    other.save()
    report.delete()
    computed(project)
    page = text(client, PAGE)
    assert told.format(1, 1) in page
    assert "1 unreadable imported annotation" in page


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
