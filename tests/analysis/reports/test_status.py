"""What the page says of a report (waiting, held back, no worker, cancelled, stale); which ones are kept."""

from __future__ import annotations

import re
from datetime import UTC, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import (
    THINNED_AFTER,
    expect_reports,
    queue_report,
    request_report,
    run_report,
    thin_out,
)
from analysis.tasks import nightly_reports
from annotator.models import Job, Membership, Project, WorkerSeen
from annotator.work.jobs import request_job
from annotator.work.liveness import sign_of_life
from annotator.work.waiting import wait_of
from tests.analysis.acting import submit_new
from tests.factories import LEAD, make_member, make_project
from tests.support.codes import codes, numbers, said

PAGE = "/projects/study/reports/agreement/"
STATUS = f"{PAGE}status/"
CANCEL = f"{PAGE}cancel/"


@pytest.fixture(autouse=True)
def worker(sent: list[int]) -> None:
    """No message leaves, and a worker is alive."""
    sign_of_life()


@pytest.fixture
def lead(project: Project, client: Client) -> Membership:
    """The project's lead, signed in."""
    member = make_member(project, LEAD)
    assert member.user is not None
    client.force_login(member.user)
    return member


def text(client: Client, path: str = PAGE) -> str:
    return client.get(path).content.decode()


def test_new_answers_make_it_stale(project: Project, lead: Membership, client: Client) -> None:
    run_report(request_report(project=project, kind="agreement").pk)
    submit_new(make_member(project))
    page = text(client)
    assert numbers(page, "new") == ["1"]
    assert "up-to-date" not in codes(page)
    submit_new(make_member(project))
    assert said(text(client), "new") == "2 new annotations since"


def test_a_report_held_back_says_so_and_can_be_had_now(
    project: Project, lead: Membership, client: Client
) -> None:
    expect_reports(project.pk)
    page = text(client)
    assert codes(page)[:2] == ["held-back", "compute-now"]
    assert f'formaction="{PAGE}refresh/">' in page
    (left,) = numbers(page, "held-back")
    assert 1 <= int(left) <= 5
    client.post(f"{PAGE}refresh/")
    page = text(client)
    assert "waiting" in codes(page)
    assert "compute-now" not in codes(page)


def test_it_says_how_many_reports_are_before_it(project: Project, lead: Membership, client: Client) -> None:
    before = [queue_report(project_id=make_project().pk, kind="comparison") for _ in range(2)]
    queue_report(project_id=make_project().pk, kind="comparison", due_at=timezone.now() + timedelta(hours=1))
    queue_report(project_id=project.pk, kind="agreement")
    assert numbers(text(client), "behind") == ["2"]
    Report.objects.filter(pk=before[0].pk).update(status="running")
    assert numbers(text(client, STATUS), "behind") == ["2"]
    Report.objects.filter(pk=before[0].pk).update(status="cancelled")
    assert numbers(text(client, STATUS), "behind") == ["1"]


def test_a_bundle_says_which_reports_it_awaits(project: Project) -> None:
    job = request_job(project=project, kind="make_bundle", data={}, actor=None, send=False)
    Job.objects.update(status="running", attempts=1)
    job.refresh_from_db()
    assert wait_of(job) is None
    report = queue_report(project_id=project.pk, kind="agreement")
    queue_report(project_id=make_project().pk, kind="agreement")
    Report.objects.filter(pk=report.pk).update(status="running", progress=40)
    wait = wait_of(job)
    assert wait is not None
    assert re.findall(r"[0-9]+", wait.words) == ["1", "40"]
    job.progress = 1
    assert wait_of(job) is None


def test_one_that_rests_says_until_when_and_can_be_had_now(
    project: Project, lead: Membership, client: Client
) -> None:
    report = request_report(project=project, kind="agreement")
    run_report(report.pk)
    ended = timezone.now()
    long = {"started_at": ended - timedelta(minutes=2), "finished_at": ended, "annotations": 10_000}
    Report.objects.filter(pk=report.pk).update(**long)
    expect_reports(project.pk)
    at = (ended + timedelta(minutes=10)).astimezone(UTC)
    page = text(client)
    assert f"{at:%H:%M} UTC" in said(page, "resting")
    assert "compute-now" in codes(page)
    assert f'formaction="{PAGE}refresh/">' in page
    client.post(f"{PAGE}refresh/")
    assert "resting" not in codes(text(client))


def test_without_a_worker_it_says_so_at_once(project: Project, lead: Membership, client: Client) -> None:
    queue_report(project_id=project.pk, kind="agreement")
    assert "no-worker" not in codes(text(client))
    WorkerSeen.objects.all().delete()
    assert "no-worker" in codes(text(client, STATUS))


def test_cancelling_from_the_page(project: Project, lead: Membership, client: Client) -> None:
    report = queue_report(project_id=project.pk, kind="agreement")
    assert ">Cancel update</button>" in text(client)
    assert client.get(CANCEL).status_code == 405
    assert client.post(CANCEL)["Location"] == PAGE
    report.refresh_from_db()
    assert report.status == "cancelled"
    assert "cancelled" in codes(text(client))
    assert run_report(report.pk) is False
    assert "too-late" in codes(client.post(CANCEL, follow=True))


pytestmark = pytest.mark.django_db

OLD = THINNED_AFTER + timedelta(hours=1)
YOUNG = THINNED_AFTER - timedelta(hours=1)


def made(project: Project, age: timedelta, status: str = "done", **fields: Any) -> int:
    moment = timezone.now() - age
    result = {"rows": 1} if status == "done" else None
    row = {"kind": "agreement", "started_at": moment, "finished_at": moment, "result": result}
    return Report.objects.create(project=project, status=status, **{**row, **fields}).pk


def test_superseded_reports_go_after_a_day() -> None:
    project, other = make_project(), make_project()
    gone = [made(project, OLD), made(project, OLD, "failed"), made(project, OLD, "cancelled")]
    stay = [
        made(project, YOUNG),
        made(project, OLD, kind="comparison"),  # the newest of its kind, however old
        made(project, OLD, protocol="presence"),  # and of its protocol
        made(other, OLD),
        made(project, YOUNG, "failed"),
        made(project, OLD, "queued", finished_at=None),
    ]
    assert thin_out() == len(gone)
    assert set(Report.objects.values_list("pk", flat=True)) == set(stay)
    assert thin_out() == 0


def test_the_nightly_task_thins_out() -> None:
    project = make_project()
    made(project, OLD)
    newest = made(project, OLD)
    nightly_reports()
    assert Report.objects.get().pk == newest
