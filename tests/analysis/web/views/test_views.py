"""Pages of reports and downloads: who sees what, in which state."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import queue_report, request_report, run_report
from annotator.models import Membership, Project
from annotator.work.liveness import sign_of_life
from tests.analysis.blank import blank
from tests.analysis.factories import make_submitted
from tests.analysis.reading import whole_page
from tests.factories import ANNOTATOR, REVIEWER, make_member
from tests.support.codes import codes

PAGE = "/projects/study/reports/agreement/"
STATUS = "/projects/study/reports/agreement/status/"
REFRESH = "/projects/study/reports/agreement/refresh/"
JSON = "/projects/study/reports/agreement.json"
EXPORT = "/projects/study/export/scores.csv"


@pytest.fixture(autouse=True)
def _wake_ups_stay_here(sent: list[int]) -> None:
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


def expected(lead: int, reviewer: int, anonymous: int) -> dict[str, int]:
    return {
        "lead": lead,
        "reviewer": reviewer,
        "annotator": 404,
        "lead of another project": 404,
        "former lead": 404,
        "superuser": 404,
        "stranger": 404,
        "anonymous": anonymous,
    }


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


def test_before_anything_was_computed(lead: Membership, client: Client) -> None:
    page = text(client, PAGE)
    assert "no-numbers" in codes(page)
    assert ">Refresh</button>" in page
    assert "hx-trigger" not in page
    assert client.get(JSON).status_code == 404


def test_a_finished_report(project: Project, lead: Membership, client: Client) -> None:
    report = computed(project)
    page = whole_page(client, PAGE)
    assert f"{report.finished_at:%-d %B %Y, %H:%M} UTC</time> from 7 annotations.</p>" in page
    assert "up-to-date" in codes(page)
    assert ">Refresh</button>" in page
    assert 'hx-trigger="every' not in page
    assert ">anno1 – anno2</a></th>" in page
    assert "Cells: positive agreement" in page


@pytest.mark.thorough
def test_a_comparison(project: Project, lead: Membership, client: Client) -> None:
    computed(project, "comparison")
    page = whole_page(client, PAGE.replace("agreement", "comparison"))
    for title in ("Generators", "Differences", "Plain tests", "Prompts", "Prompt groups", "Annotators"):
        assert f">{title}</h3>" in page
    assert "style=" not in page


def test_undefined_values_say_why(lead: Membership, client: Client) -> None:
    project = lead.project
    Report.objects.create(
        project=project,
        kind="agreement",
        status="done",
        started_at=timezone.now(),
        finished_at=timezone.now(),
        annotations=2,
        result=blank("agreement"),
    )
    page = whole_page(client, PAGE)
    assert page.count("not defined: too few: 0 images") >= 5
    assert "nan" not in page.lower().replace("annotat", "")


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
