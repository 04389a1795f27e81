"""What pages say of reports that wait; reports that submissions ask for; which reports are kept."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from analysis.models import EXPECTED, KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import (
    LONGEST,
    QUIET,
    THINNED_AFTER,
    expect_reports,
    queue_report,
    request_report,
    run_report,
    sweep_reports,
    thin_out,
)
from analysis.reports.submissions import expect_submitted
from annotator.models import Annotation, Assignment, Membership, Project, WorkerSeen
from annotator.signals import answers_moved
from tests.annotator.acting import submit
from tests.annotator.racing import race
from tests.factories import make_assignment, make_member, make_project
from tests.support.codes import codes, numbers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("worker")]

KINDS = sorted(KEPT_UP_TO_DATE)
AGREEMENT = Report.Kind.AGREEMENT.value


class Clock:
    """The time as everything here sees it."""

    def __init__(self) -> None:
        self.now = timezone.now()

    def __call__(self) -> datetime:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timezone, "now", clock)
    return clock


def test_an_import_asks_for_one_report_of_each_kind_and_sends_nothing(
    project: Project, sent: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    for _ in range(3):
        with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
            answers_moved.send(sender=Annotation, project_id=project.pk, protocols=["anatomy"])
    assert sorted(Report.objects.values_list("kind", "status")) == [
        (kind, "queued") for kind in sorted(EXPECTED)
    ]
    assert sent == []


@pytest.mark.parametrize(
    ("annotations", "took", "seconds"),
    [
        *((10_000, took, seconds) for took, seconds in ((0.4, 5), (6, 5), (7, 63), (20, 180), (66, 594))),
        (100_000, 70, 600),
        (100_000, 4000, 600),
        (9_999, 70, 5),
    ],
)
def test_reports_that_take_long_take_a_tenth_of_the_time(
    project: Project, sent: list[int], clock: Clock, annotations: int, took: float, seconds: float
) -> None:
    begun = clock.now
    clock.wait(took)
    done = {"status": "done", "started_at": begun, "finished_at": clock.now, "annotations": annotations}
    for kind in KINDS:
        Report.objects.create(project=project, kind=kind, result={}, **done)
    expect_reports(project.pk)
    waiting = Report.objects.filter(status="queued")
    assert {report.due_at - clock.now for report in waiting if report.due_at} == {timedelta(seconds=seconds)}
    # Whoever goes on submitting neither shortens nor prolongs that.
    clock.wait(seconds - 3)
    expect_reports(project.pk)
    assert sweep_reports() == []
    clock.wait(2 if seconds == 5 else 0)
    clock.wait(3.1)
    sent_now = Report.objects.filter(pk__in=sweep_reports())
    assert sorted(sent_now.values_list("kind", flat=True)) == KINDS


def test_who_asks_does_not_wait_for_the_end_of_a_burst(
    project: Project, sent: list[int], clock: Clock, django_capture_on_commit_callbacks: Any
) -> None:
    expect_reports(project.pk)
    with django_capture_on_commit_callbacks(execute=True):
        report = request_report(project=project, kind=AGREEMENT)
    assert sent == [report.pk]
    assert Report.objects.count() == len(KINDS)
    report.refresh_from_db()
    assert report.due_at is None
    expect_reports(project.pk)
    report.refresh_from_db()
    assert report.due_at is None


@pytest.mark.django_db(transaction=True)
def test_submissions_at_once_make_one_report_of_each_kind(project: Project, sent: list[int]) -> None:
    assert race([partial(expect_reports, project.pk)] * 6) == [None] * 6
    assert sorted(Report.objects.values_list("kind", flat=True)) == KINDS


ASKED_FOR = sorted(EXPECTED)


def submitted(project: Project) -> Assignment:
    """An image that an annotator has just submitted, through what the page uses."""
    assignment = make_assignment(make_member(project))
    submit(assignment)
    return assignment


def done(clock: Clock, **fields: Any) -> None:
    """Let a worker take up what waits now, and end a second later."""
    begun = clock.now
    clock.wait(1)
    Report.objects.filter(status="queued").update(
        **{"status": "done", "result": {}, "started_at": begun, "finished_at": clock.now, **fields}
    )


def waiting() -> list[str]:
    return sorted(Report.objects.filter(status="queued").values_list("kind", flat=True))


def test_a_submission_asks_for_nothing_itself(project: Project, clock: Clock, sent: list[int]) -> None:
    submitted(project)
    assert not Report.objects.exists()
    expect_submitted()
    assert waiting() == ASKED_FOR
    assert sent == []
    assert {row.due_at for row in Report.objects.all()} == {clock.now + QUIET}


def test_a_burst_moves_them_until_it_pauses_or_has_lasted_long(
    project: Project, clock: Clock, sent: list[int]
) -> None:
    begun = clock.now
    while not sent:
        submitted(project)
        expect_submitted()
        sweep_reports()
        clock.wait(4)
    assert clock.now - begun == LONGEST + timedelta(seconds=4)


@pytest.mark.parametrize(("seconds", "again"), [(4.9, True), (5.1, False)])
def test_one_that_starts_right_after_a_submission_does_not_cover_it(
    project: Project, clock: Clock, seconds: float, again: bool
) -> None:
    """Its transaction may have been committed after the report was read."""
    submitted(project)
    expect_submitted()
    clock.wait(seconds)
    done(clock)
    expect_submitted()
    assert waiting() == (ASKED_FOR if again else [])


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_one_that_did_not_succeed_waits_for_the_next_submission(
    project: Project, clock: Clock, status: str
) -> None:
    submitted(project)
    expect_submitted()
    clock.wait(6)
    done(clock, status=status, result=None, **({"started_at": None} if status == "cancelled" else {}))
    expect_submitted()
    assert waiting() == []
    submitted(project)
    expect_submitted()
    assert waiting() == ASKED_FOR


def test_only_the_kinds_that_lack_it_are_asked_for(project: Project, clock: Clock, sent: list[int]) -> None:
    submitted(project)
    clock.wait(6)
    request_report(project=project, kind="agreement")
    done(clock)
    expect_submitted()
    assert waiting() == sorted(set(ASKED_FOR) - {"agreement"})


PAGE = "/projects/study/reports/agreement/"
STATUS = f"{PAGE}status/"
CANCEL = f"{PAGE}cancel/"


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


def test_without_a_worker_it_says_so_at_once(project: Project, lead: Membership, client: Client) -> None:
    queue_report(project_id=project.pk, kind="agreement")
    assert "no-worker" not in codes(text(client))
    WorkerSeen.objects.all().delete()
    assert "no-worker" in codes(text(client, STATUS))


def test_cancelling_from_the_page(project: Project, lead: Membership, client: Client) -> None:
    report = queue_report(project_id=project.pk, kind="agreement")
    assert ">Cancel update</button>" in text(client)
    assert client.get(CANCEL)["Location"] == PAGE
    assert client.post(CANCEL)["Location"] == PAGE
    report.refresh_from_db()
    assert report.status == "cancelled"
    assert "cancelled" in codes(text(client))
    assert run_report(report.pk) is False
    assert "too-late" in codes(client.post(CANCEL, follow=True))


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
