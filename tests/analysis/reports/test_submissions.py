"""Reports that submissions call for: asked for by a sweep, from the rows alone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from analysis.models import EXPECTED, Report
from analysis.reports.lifecycle import LONGEST, QUIET, request_report, sweep_reports
from analysis.reports.submissions import WATCHED, expect_submitted
from annotator.models import Assignment, Project
from tests.analysis.reports.test_expected import Clock
from tests.annotator.acting import submit
from tests.factories import make_assignment, make_batch, make_member, make_project

pytestmark = pytest.mark.django_db

KINDS = sorted(EXPECTED)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timezone, "now", clock)
    return clock


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
    assert waiting() == KINDS
    assert sent == []
    assert {row.due_at for row in Report.objects.all()} == {clock.now + QUIET}


def test_what_was_submitted_a_while_ago_starts_at_once(
    project: Project, clock: Clock, sent: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    submitted(project)
    clock.wait(QUIET.total_seconds())
    with django_capture_on_commit_callbacks(execute=True):
        expect_submitted()
    assert sorted(sent) == sorted(Report.objects.values_list("pk", flat=True))


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
    assert waiting() == (KINDS if again else [])


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
    assert waiting() == KINDS


def test_only_the_kinds_that_lack_it_are_asked_for(project: Project, clock: Clock, sent: list[int]) -> None:
    submitted(project)
    clock.wait(6)
    request_report(project=project, kind="agreement")
    done(clock)
    expect_submitted()
    assert waiting() == sorted(set(KINDS) - {"agreement"})


def test_each_protocol_has_its_own(project: Project, clock: Clock) -> None:
    batch = make_batch(project, protocol="presence")
    submitted(project)
    expect_submitted()
    clock.wait(6)
    done(clock)
    assert set(Report.objects.values_list("protocol", flat=True)) == {"anatomy"}
    judged = make_assignment(make_member(project), batch=batch)
    submit(judged, {"cells": [], "no_errors": True})
    expect_submitted()
    assert set(Report.objects.filter(status="queued").values_list("protocol", flat=True)) == {"presence"}


def test_the_night_has_those_of_yesterday_and_nobody_those_of_a_project_being_deleted(
    project: Project, clock: Clock
) -> None:
    submitted(project)
    going = make_project("going")
    submitted(going)
    Project.objects.filter(pk=going.pk).update(goes_at=clock.now)
    expect_submitted()
    assert set(Report.objects.values_list("project", flat=True)) == {project.pk}
    Report.objects.all().delete()
    clock.wait(WATCHED.total_seconds())
    expect_submitted()
    assert waiting() == []


@pytest.mark.parametrize("count", [1, 3])
def test_a_sweep_costs_two_queries_and_two_for_each_project_under_way(
    project: Project, clock: Clock, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):  # nothing was submitted anywhere
        expect_submitted()
    for place in range(count):
        submitted(make_project(f"study-{place}"))
    expect_submitted()
    with django_assert_num_queries(2 + 2 * count):
        expect_submitted()
    clock.wait(6)
    done(clock)
    with django_assert_num_queries(2):
        expect_submitted()
