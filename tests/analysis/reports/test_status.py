"""What the page says of a report (waiting, held back, no worker, cancelled, stale); which ones are kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import (
    THINNED_AFTER,
    expect_reports,
    queue_report,
    run_report,
    thin_out,
)
from annotator.models import Membership, Project, WorkerSeen
from annotator.work.liveness import sign_of_life
from tests.factories import LEAD, make_member, make_project
from tests.support.codes import codes, numbers

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
