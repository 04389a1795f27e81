"""Pages of reports and downloads: who sees what, in which state."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.http import StreamingHttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import queue_report, request_report, run_report
from annotator.models import Membership, Project, User
from annotator.work.liveness import sign_of_life
from tests.analysis.blank import blank
from tests.analysis.factories import make_small_study, make_submitted
from tests.analysis.reading import whole_page
from tests.factories import ANNOTATOR, LEAD, REVIEWER, make_member, make_project, make_user
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


def visitors(project: Project) -> dict[str, User | AnonymousUser]:
    other = make_project("other")
    inactive = make_member(project, LEAD, is_active=False)
    return {
        "lead": make_member(project, LEAD).user or AnonymousUser(),
        "reviewer": make_member(project, REVIEWER).user or AnonymousUser(),
        "annotator": make_member(project, ANNOTATOR).user or AnonymousUser(),
        "lead of another project": make_member(other, LEAD).user or AnonymousUser(),
        "former lead": inactive.user or AnonymousUser(),
        "superuser": make_user(is_superuser=True, is_staff=True),
        "stranger": make_user(),
        "anonymous": AnonymousUser(),
    }


def answers_to(project: Project, method: str, path: str) -> dict[str, int]:
    answers = {}
    for name, user in visitors(project).items():
        client = Client()
        if isinstance(user, User):
            client.force_login(user)
        answers[name] = getattr(client, method)(path).status_code
    return answers


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


@pytest.mark.parametrize(
    ("method", "path", "statuses"),
    [
        ("get", PAGE, (200, 200, 302)),
        ("get", PAGE.replace("agreement", "comparison"), (200, 200, 302)),
        ("get", STATUS, (286, 286, 286)),
        ("get", JSON, (200, 200, 302)),
        ("post", REFRESH, (302, 302, 302)),
        ("get", EXPORT, (200, 404, 302)),
        ("get", EXPORT.replace("scores", "sheet"), (200, 404, 302)),
        ("get", EXPORT.replace("scores", "marks"), (200, 404, 302)),
    ],
)
@pytest.mark.few(2)
def test_rights(project: Project, method: str, path: str, statuses: tuple[int, int, int]) -> None:
    computed(project)
    computed(project, "comparison")
    assert answers_to(project, method, path) == expected(*statuses)


def test_anonymous_visitors_are_told_nothing(project: Project, client: Client) -> None:
    computed(project)
    assert client.get(STATUS).content == b""
    assert client.get(STATUS)["HX-Refresh"] == "true"
    assert client.get(PAGE)["Location"] == f"/accounts/login/?next={PAGE}"


@pytest.mark.slow  # every page of two projects
def test_nothing_of_another_project_leaks(project: Project, lead: Membership, client: Client) -> None:
    canary = make_project("canary")
    first, _ = make_small_study(canary)
    Membership.objects.filter(pk=first.pk).update(code="canary-annotator")
    canary.images.update(generator="canary-generator", prompt="canary-prompt", number=None)
    for kind in ("agreement", "comparison"):
        computed(canary, kind)
        computed(project, kind)
        for path in ("", "status/"):
            response = client.get(f"/projects/study/reports/{kind}/{path}")
            assert b"anary" not in response.content
        assert b"anary" not in client.get(f"/projects/study/reports/{kind}.json").content
        assert client.get(f"/projects/canary/reports/{kind}/").status_code == 404
    for layout in ("sheet", "scores", "marks"):
        assert b"anary" not in content_of(client.get(f"/projects/study/export/{layout}.csv"))


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


@pytest.mark.parametrize(
    "path",
    [
        "/projects/study/reports/nonsense/",
        "/projects/study/reports/nonsense/status/",
        "/projects/study/reports/nonsense.json",
        "/projects/study/export/nonsense.csv",
        "/projects/nowhere/reports/agreement/",
    ],
)
def test_what_does_not_exist_is_not_found(lead: Membership, client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_refresh_of_nonsense_is_not_found(lead: Membership, client: Client) -> None:
    assert client.post("/projects/study/reports/nonsense/refresh/").status_code == 404


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


@pytest.mark.parametrize("path", [PAGE, PAGE.replace("agreement", "comparison"), STATUS])
@pytest.mark.thorough
def test_queries_do_not_grow_with_the_project(
    project: Project, lead: Membership, client: Client, path: str
) -> None:
    counts = []
    for _ in range(2):
        for kind in ("agreement", "comparison"):
            computed(project, kind)
        with CaptureQueriesContext(connection) as queries:
            client.get(path)
        counts.append(len(queries))
        for image in list(project.images.all()):
            make_submitted(make_member(project), image=image)
    assert counts[0] == counts[1] <= 25


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
    expected = f"/projects/study/reports/agreement/{report.pk}/apart/?show=open"
    assert client.get(address).headers["Location"] == expected
    own = make_member(project, ANNOTATOR)
    assert own.user is not None
    client.force_login(own.user)
    assert client.get(address).status_code == 404
