"""Reports that changes ask for; what pages say of reports that wait; which reports are kept."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from analysis.models import EXPECTED, Report
from analysis.reports.expected import request_changed, request_nightly
from analysis.reports.lifecycle import THINNED_AFTER, queue_report, request_report, run_report, thin_out
from annotator.annotations.adjudication import VERBS as ADJUDICATING
from annotator.annotations.locking import REOPENED_BY_LEAD
from annotator.models import Annotation, Assignment, Event, Membership, Project, WorkerSeen
from tests.analysis.factories import make_submitted
from tests.annotator.acting import submit
from tests.annotator.racing import race
from tests.factories import make_assignment, make_batch, make_member, make_project
from tests.support.codes import codes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("worker")]


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
    for _ in range(2):
        request_changed()
        assert (waiting(), sent) == (ASKED_FOR, [])


@pytest.mark.parametrize(
    ("took", "rests"), [(0.4, 29.6), (3, 27), (4, 36), (20, 180), (66, 594), (70, 600), (4000, 600)]
)
def test_while_people_submit_reports_take_a_tenth_of_the_time(
    project: Project, clock: Clock, sent: list[int], took: float, rests: float
) -> None:
    submitted(project)
    clock.wait(6)
    begun = clock.now
    clock.wait(took)
    done = {"status": "done", "result": {}, "started_at": begun, "finished_at": clock.now}
    for kind in EXPECTED:
        Report.objects.create(project=project, kind=kind, **done)
    submitted(project)
    clock.wait(rests - 0.1)
    request_changed()
    assert waiting() == []
    clock.wait(0.2)
    request_changed()
    assert waiting() == ASKED_FOR


@pytest.mark.parametrize(("seconds", "again"), [(4.9, True), (5.1, False)])
def test_one_that_starts_right_after_a_submission_does_not_cover_it(
    project: Project, clock: Clock, sent: list[int], seconds: float, again: bool
) -> None:
    """Its transaction may have been committed after the report was read."""
    submitted(project)
    request_changed()
    clock.wait(seconds)
    done(clock)
    clock.wait(60)
    request_changed()
    assert waiting() == (ASKED_FOR if again else [])


def test_submissions_of_another_protocol_ask_for_its_reports_alone(
    project: Project, clock: Clock, sent: list[int]
) -> None:
    member = make_member(project)
    make_submitted(member, batch=make_batch(project, protocol="presence"))
    submitted(project)
    request_changed()
    assert set(Report.objects.values_list("protocol", flat=True)) == {"anatomy"}


@pytest.mark.parametrize("verb", [*ADJUDICATING, "image_deleted", "data_set_settings"])
def test_what_concerns_a_whole_project_asks_for_all_its_protocols(
    project: Project, clock: Clock, sent: list[int], verb: str
) -> None:
    make_submitted(make_member(project), batch=make_batch(project, protocol="presence"))
    Event.objects.create(project=project, verb=verb)
    request_changed()
    asked = Report.objects.values_list("protocol", "kind")
    assert sorted(asked) == [(slug, kind) for slug in ("anatomy", "presence") for kind in ASKED_FOR]


@pytest.mark.parametrize("verb", ["image_deleted", REOPENED_BY_LEAD])
def test_numbers_without_any_annotation_left_are_asked_for_again(
    project: Project, clock: Clock, sent: list[int], verb: str
) -> None:
    assignment = submitted(project)
    request_changed()
    done(clock)
    clock.wait(60)
    Annotation.objects.all().delete()
    Event.objects.create(project=project, assignment=assignment, verb=verb)
    request_changed()
    assert waiting() == ASKED_FOR


@pytest.mark.django_db(transaction=True)
def test_sweeps_at_once_make_one_report_of_each_kind(project: Project, sent: list[int]) -> None:
    submitted(project)
    assert race([request_changed] * 6) == [None] * 6
    assert waiting() == ASKED_FOR


def test_the_night_looks_at_every_project_with_annotations(project: Project, sent: list[int]) -> None:
    make_project()
    request_nightly()
    assert sorted(Report.objects.values_list("project", "kind")) == [(project.pk, kind) for kind in ASKED_FOR]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_one_that_did_not_succeed_waits_for_the_next_submission(
    project: Project, clock: Clock, status: str
) -> None:
    submitted(project)
    request_changed()
    clock.wait(6)
    done(clock, status=status, result=None, **({"started_at": None} if status == "cancelled" else {}))
    clock.wait(30)
    request_changed()
    assert waiting() == []
    submitted(project)
    request_changed()
    assert waiting() == ASKED_FOR


def test_only_the_kinds_that_lack_it_are_asked_for(project: Project, clock: Clock, sent: list[int]) -> None:
    submitted(project)
    clock.wait(6)
    request_report(project=project, kind="agreement")
    done(clock)
    clock.wait(30)
    request_changed()
    assert waiting() == sorted(set(ASKED_FOR) - {"agreement"})


PAGE = "/projects/study/reports/agreement/"
STATUS = f"{PAGE}status/"
CANCEL = f"{PAGE}cancel/"


def text(client: Client, path: str = PAGE) -> str:
    return client.get(path).content.decode()


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
