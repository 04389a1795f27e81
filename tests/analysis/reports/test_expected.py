"""Reports that submissions ask for: one of each kind for a burst, soon after its end, every night at last."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from analysis.models import EXPECTED, KEPT_UP_TO_DATE, Report
from analysis.reports import lifecycle
from analysis.reports.lifecycle import (
    expect_reports,
    request_nightly,
    request_report,
    run_report,
    sweep_reports,
)
from analysis.reports.stored import newest_done
from annotator.models import Annotation, Project
from annotator.signals import answers_moved
from tests.analysis.computing import counting
from tests.analysis.factories import make_submitted
from tests.annotator.racing import race
from tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db

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


def kinds_sent(ids: list[int]) -> list[str]:
    return sorted(Report.objects.filter(pk__in=ids).values_list("kind", flat=True))


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


def test_it_costs_one_query_while_reports_wait_and_one_each_once_a_second(
    project: Project, clock: Clock, django_assert_num_queries: Any
) -> None:
    expect_reports(project.pk)
    with django_assert_num_queries(1):
        expect_reports(project.pk)
    clock.wait(0.9)
    with django_assert_num_queries(1):
        expect_reports(project.pk)
    clock.wait(0.2)
    with django_assert_num_queries(1 + len(KINDS)):
        expect_reports(project.pk)


@pytest.mark.thorough
def test_a_burst_is_computed_once_a_few_seconds_after_its_end(
    project: Project, sent: list[int], clock: Clock, computed: list[str]
) -> None:
    for _ in range(8):
        make_submitted(make_member(project))
        expect_reports(project.pk)
        clock.wait(4)
        assert sweep_reports() == []
    clock.wait(1.1)
    ids = sweep_reports()
    assert kinds_sent(ids) == KINDS
    # Whoever takes the first takes the others with it.
    assert [run_report(pk) for pk in ids] == [True, False]
    assert sorted(computed) == KINDS
    assert Report.objects.count() == len(KINDS)
    assert set(Report.objects.values_list("annotations", flat=True)) == {15}
    clock.wait(60)
    assert sweep_reports() == []


def test_numbers_are_not_held_back_for_ever(project: Project, sent: list[int], clock: Clock) -> None:
    ids: list[int] = []
    seconds = 0
    while not ids:
        expect_reports(project.pk)
        clock.wait(2)
        seconds += 2
        ids = sweep_reports()
    assert seconds == 60
    assert kinds_sent(ids) == KINDS


def finished(project: Project, clock: Clock, took: float, annotations: int) -> None:
    """Reports of each kind that took so long, and have just ended."""
    begun = clock.now
    clock.wait(took)
    at = {"started_at": begun, "finished_at": clock.now}
    for kind in KINDS:
        Report.objects.create(
            project=project, kind=kind, status="done", result={}, annotations=annotations, **at
        )


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
    finished(project, clock, took, annotations)
    expect_reports(project.pk)
    waiting = Report.objects.filter(status="queued")
    assert {report.due_at - clock.now for report in waiting if report.due_at} == {timedelta(seconds=seconds)}
    # Whoever goes on submitting neither shortens nor prolongs that.
    clock.wait(seconds - 3)
    expect_reports(project.pk)
    assert sweep_reports() == []
    clock.wait(2 if seconds == 5 else 0)
    clock.wait(3.1)
    assert kinds_sent(sweep_reports()) == KINDS


def test_who_asks_does_not_wait_for_that_either(project: Project, sent: list[int], clock: Clock) -> None:
    finished(project, clock, 30, 10_000)
    expect_reports(project.pk)
    clock.wait(60)
    assert sweep_reports() == []
    report = request_report(project=project, kind=AGREEMENT)
    report.refresh_from_db()
    assert report.due_at is None


def test_what_is_on_its_way_is_not_held_back_again(project: Project, sent: list[int], clock: Clock) -> None:
    expect_reports(project.pk)
    clock.wait(6)
    ids = sweep_reports()
    due = Report.objects.values_list("due_at", flat=True).get(pk=ids[0])
    expect_reports(project.pk)
    assert Report.objects.values_list("due_at", flat=True).get(pk=ids[0]) == due
    assert Report.objects.count() == len(KINDS)


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


@pytest.mark.django_db(transaction=True)
def test_a_submission_while_one_is_taken_up_is_in_this_report_or_the_next(
    project: Project, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "QUIET", timedelta(0))
    monkeypatch.setattr(lifecycle, "computation", lambda *_: lambda frame, _: counting(frame))

    def submit() -> bool:
        make_submitted(make_member(project))
        expect_reports(project.pk)
        return True

    for round_ in range(8):
        expect_reports(project.pk)
        first = Report.objects.get(status="queued", kind=AGREEMENT)
        jobs: list[Callable[[], bool]] = [submit, partial(run_report, first.pk)]
        outcomes = race(jobs)
        assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        for pk in list(Report.objects.filter(status="queued", kind=AGREEMENT).values_list("pk", flat=True)):
            run_report(pk)
        done = newest_done(project, AGREEMENT)
        assert done is not None
        assert done.annotations == 7 + round_ + 1


@pytest.mark.thorough
def test_the_night_computes_what_has_changed(project: Project, sent: list[int], computed: list[str]) -> None:
    make_project("empty")
    expect_reports(project.pk)
    for report in Report.objects.all():
        run_report(report.pk)
    request_nightly()
    # That on quality compares its input only when it is computed.
    assert list(Report.objects.filter(status="queued").values_list("kind", flat=True)) == ["quality"]
    assert Report.objects.count() == len(KINDS) + 1
    make_submitted(make_member(project))
    request_nightly()
    assert Report.objects.filter(status="queued").count() == len(KINDS) + 1
    for report in Report.objects.filter(status="queued"):
        run_report(report.pk)
    assert sorted(computed) == sorted(KINDS * 2)
    assert set(Report.objects.values_list("project__slug", flat=True)) == {"study"}
