"""The life of a report: asked once, computed once, healed after whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from analysis.models import Report
from analysis.reports import lifecycle
from analysis.reports.lifecycle import (
    expect_reports,
    queue_report,
    request_report,
    run_report,
    send_wake_up,
    sweep_reports,
)
from analysis.reports.stored import newest_done
from annotator.database.transactions import write_transaction
from annotator.models import Annotation, Project
from annotator.signals import answers_moved
from annotator.work import leases
from tests.analysis.computing import compute_with, expire
from tests.analysis.factories import make_submitted
from tests.analysis.stats.generic.making import rows_of
from tests.factories import make_member
from tests.support.messages import break_broker

pytestmark = pytest.mark.django_db

AGREEMENT = Report.Kind.AGREEMENT.value
COMPARISON = Report.Kind.COMPARISON.value


def test_the_wake_up_leaves_after_the_commit(
    project: Project, sent: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        report = request_report(project=project, kind=AGREEMENT)
        assert sent == []
    assert sent == [report.pk]
    assert (report.status, report.attempts, report.result) == ("queued", 0, None)


def test_a_request_while_one_is_under_way_returns_that_one(project: Project, sent: list[int]) -> None:
    first = request_report(project=project, kind=AGREEMENT)
    assert request_report(project=project, kind=AGREEMENT) == first
    assert request_report(project=project, kind=COMPARISON) != first
    leases.claim(Report, first.pk)
    assert request_report(project=project, kind=AGREEMENT) == first


def test_a_lost_race_for_the_row_returns_the_winner(
    project: Project, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    winner: list[Report] = []
    real = write_transaction

    @contextmanager
    def late() -> Iterator[None]:
        if not winner:
            winner.append(Report.objects.create(project=project, kind=AGREEMENT))
        with real():
            yield

    monkeypatch.setattr(lifecycle, "write_transaction", late)
    assert queue_report(project_id=project.pk, kind=AGREEMENT) == winner[0]
    assert Report.objects.count() == 1
    assert sent == []


def test_running_stores_the_result(project: Project, sent: list[int]) -> None:
    report = request_report(project=project, kind=COMPARISON)
    assert run_report(report.pk) is True
    report.refresh_from_db()
    assert (report.status, report.progress, report.attempts, report.annotations) == ("done", 100, 1, 7)
    assert (report.lease_until, report.error) == (None, "")
    assert report.started_at is not None
    assert report.finished_at is not None
    assert len(report.input_digest) == 64
    assert len(report.code_version) == 16
    assert report.result is not None
    assert [(entry["generator"], entry["annotations"]) for entry in rows_of(report.result, "generators")] == [
        ("alpha", 4),
        ("beta", 3),
    ]


def test_a_duplicate_delivery_has_one_effect(project: Project, sent: list[int], computed: list[str]) -> None:
    report = request_report(project=project, kind=AGREEMENT)
    assert [run_report(report.pk), run_report(report.pk), run_report(report.pk)] == [True, False, False]
    assert computed == [AGREEMENT]
    assert Report.objects.count() == 1


def test_unchanged_input_is_not_computed_again(
    project: Project, sent: list[int], computed: list[str]
) -> None:
    report = request_report(project=project, kind=AGREEMENT)
    run_report(report.pk)
    again = request_report(project=project, kind=AGREEMENT)
    assert again != report
    assert run_report(again.pk) is True
    (left,) = Report.objects.all()
    assert left == report
    assert left.checked_at is not None
    assert computed == [AGREEMENT]


@pytest.mark.parametrize("change", ["answer", "weights", "image", "annotator"])
def test_changed_input_is_computed_again(
    project: Project, sent: list[int], computed: list[str], change: str
) -> None:
    report = request_report(project=project, kind=AGREEMENT)
    run_report(report.pk)
    member = project.memberships.get(code="anno1")
    if change == "answer":
        Annotation.objects.filter(assignment__annotator=member).update(version=2)
    elif change == "weights":
        Project.objects.update(weights={"a": "0.1", "b": "0.5", "c": "1"})
    elif change == "image":
        project.images.filter(generator="beta").update(generator="gamma")
    else:
        project.memberships.filter(pk=member.pk).update(code="ann")
    project.refresh_from_db()
    again = request_report(project=project, kind=AGREEMENT)
    assert again != report
    run_report(again.pk)
    assert computed == [AGREEMENT, AGREEMENT]


def test_an_error_is_stored_in_plain_words(
    project: Project, sent: list[int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("secret detail")

    compute_with(monkeypatch, broken)
    report = request_report(project=project, kind=AGREEMENT)
    assert run_report(report.pk) is True
    report.refresh_from_db()
    assert (report.status, report.result) == ("failed", None)
    assert report.error == (
        "The job failed with an error (ZeroDivisionError). The worker's log has the details."
    )
    assert "secret detail" in caplog.text
    assert run_report(report.pk) is False
    assert request_report(project=project, kind=AGREEMENT) != report


def test_a_silent_worker_is_replaced_and_cannot_come_back(
    project: Project, sent: list[int], computed: list[str]
) -> None:
    report = request_report(project=project, kind=AGREEMENT)
    dead = leases.claim(Report, report.pk)
    assert dead is not None
    assert run_report(report.pk) is False  # its lease is good
    expire(report)
    assert run_report(report.pk) is True
    report.refresh_from_db()
    result = report.result
    assert (report.status, report.attempts) == ("done", 2)
    assert leases.renew(dead, progress=50) is False
    assert leases.finish(dead, result={"from": "the dead"}) is False
    assert leases.fail(dead, "the dead") is False
    report.refresh_from_db()
    assert (report.status, report.progress, report.result) == ("done", 100, result)


def test_the_sweep_frees_the_silent_and_ends_the_hopeless(project: Project, sent: list[int]) -> None:
    silent = request_report(project=project, kind=AGREEMENT)
    hopeless = request_report(project=project, kind=COMPARISON)
    leases.claim(Report, silent.pk)
    for _ in range(3):
        leases.claim(Report, hopeless.pk)
        expire(hopeless)
    expire(silent)
    Report.objects.update(created_at=timezone.now() - timedelta(seconds=6))
    assert sweep_reports() == [silent.pk]
    silent.refresh_from_db()
    hopeless.refresh_from_db()
    assert (silent.status, silent.attempts) == ("queued", 1)
    assert (hopeless.status, hopeless.error) == ("failed", leases.STOPPED_ITS_WORKER)


def test_the_sweep_sends_what_waits_and_waits_for_what_it_sent(project: Project, sent: list[int]) -> None:
    report = request_report(project=project, kind=AGREEMENT)
    assert sweep_reports() == []  # too young: its own process may be about to send it
    Report.objects.update(created_at=timezone.now() - timedelta(seconds=6))
    assert sweep_reports() == [report.pk]
    assert sweep_reports() == []
    expire(report)
    assert sweep_reports() == [report.pk]
    run_report(report.pk)
    assert sweep_reports() == []
    assert sent == [report.pk, report.pk]


@pytest.mark.parametrize("error", [OperationalError("no broker"), OSError("no folder")])
def test_a_broker_that_is_down_leaves_the_row_queued(
    project: Project, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    break_broker(monkeypatch, error)
    report = request_report(project=project, kind=AGREEMENT)
    assert send_wake_up(report.pk) is False
    report.refresh_from_db()
    assert (report.status, report.lease_until) == ("queued", None)


def test_trouble_with_reports_never_reaches_who_changes_annotations(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no reports today")

    monkeypatch.setattr("analysis.receivers.expect_reports", broken)
    with django_capture_on_commit_callbacks(execute=True):
        answers_moved.send(sender=Annotation, project_id=project.pk, protocols=["anatomy"])
    assert "no reports today" in caplog.text


@pytest.mark.parametrize("fails", [False, True])
def test_a_submission_while_it_runs_leads_to_another_report(
    project: Project, sent: list[int], monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    def submit() -> None:
        make_submitted(make_member(project))
        # What the receiver does after this commit: the row under way is found, and nothing is made.
        expect_reports(project.pk)
        if fails:
            raise RuntimeError

    compute_with(monkeypatch, submit)
    report = request_report(project=project, kind=AGREEMENT)
    run_report(report.pk)
    report.refresh_from_db()
    assert report.status == ("failed" if fails else "done")
    following = Report.objects.get(status="queued", kind=AGREEMENT)
    assert following.due_at is not None
    compute_with(monkeypatch, lambda: None)
    run_report(following.pk)
    done = newest_done(project, AGREEMENT)
    assert done == following
    assert done.result is not None
    assert (done.annotations, done.result["rows"]) == (8, 8)
    assert Report.objects.filter(kind=AGREEMENT).count() == 2
