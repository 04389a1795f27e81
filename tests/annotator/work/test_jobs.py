"""The life of a job: asked once, done once, healed after whatever happens, databases and brokers included."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import InterfaceError, OperationalError
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerUnavailable

from annotator.models import Event, Job, Project
from annotator.work import kinds, leases
from annotator.work.jobs import (
    RUN_JOB,
    JobCancelled,
    JobRefused,
    cancel_job,
    request_job,
    run_job,
    send_wake_up,
    sweep_jobs,
)
from annotator.work.leases import Steps
from tests.annotator.job_acts import ask, counting, ended, expire, raising, returning
from tests.annotator.racing import race
from tests.factories import make_project, make_user
from tests.support.codes import refused
from tests.support.messages import break_broker, ids_sent_to

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kinds of this module, and no others left behind."""
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.runs("counting", title="counting")(counting)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the jobs whose wake-up left."""
    return ids_sent_to(monkeypatch, RUN_JOB)


@pytest.fixture
def project() -> Project:
    return make_project("study")


def test_the_wake_up_leaves_after_the_commit(
    project: Project, sent: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    actor = make_user()
    with django_capture_on_commit_callbacks(execute=True):
        job = request_job(project=project, kind="counting", data={"to": 3}, actor=actor)
        assert sent == []
    assert sent == [job.pk]
    job.refresh_from_db()
    assert (job.status, job.data, job.requested_by) == ("queued", {"to": 3}, actor)


def test_a_key_names_one_request_of_one_person(project: Project, sent: list[int]) -> None:
    actor, key = make_user(), uuid4()
    request: dict[str, Any] = {"project": project, "kind": "counting", "data": {"to": 3}}
    request |= {"actor": actor, "request_key": key}
    assert request_job(**request) == request_job(**request)
    for other in ({"actor": make_user()}, {"actor": None}, {"project": make_project()}):
        with refused(JobRefused, "key-reused"):
            request_job(**{**request, **other})
    with pytest.raises(JobRefused, match="used for another file"):
        request_job(**{**request, "data": {"to": 4}}, about="to")
    assert Job.objects.count() == 1


def test_running_stores_what_came_out(project: Project) -> None:
    job = ask(project, to=3)
    assert [run_job(job.pk), run_job(job.pk)] == [True, False]
    job.refresh_from_db()
    assert (job.status, job.result, job.progress, job.attempts) == ("done", {"counted": 3}, 100, 1)
    assert (job.error, job.lease_until) == ("", None)
    assert job.seconds is not None
    assert 0 <= job.seconds < 5


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (JobRefused("Seven images are gone."), "Seven images are gone."),
        (MemoryError(), "The worker ran out of memory."),
        (ZeroDivisionError("secret detail"), "The job failed with an error (ZeroDivisionError)."),
        (OSError(errno.ENOSPC, "secret detail"), "The disk is full (No space left on device). Free"),
        (OSError(errno.EIO, "secret detail"), "The job failed with an error (OSError)."),
    ],
)
def test_an_error_is_stored_in_plain_words(project: Project, error: Exception, words: str) -> None:
    kinds.runs("broken", title="broken")(raising(error))
    job = ask(project, "broken")
    ended(job)
    assert (job.status, job.result) == ("failed", None)
    assert job.error.startswith(words)
    assert "secret detail" not in job.error


def test_a_cancelled_job_is_not_begun(project: Project, sent: list[int]) -> None:
    job, actor = ask(project, to=3), make_user()
    assert [cancel_job(job=job, actor=actor), cancel_job(job=job, actor=actor)] == [True, False]
    ended(job)
    assert (job.status, job.result, job.attempts) == ("cancelled", None, 0)
    (event,) = Event.objects.all()
    assert (event.verb, event.actor, event.project) == ("job_cancelled", actor, project)
    assert event.data == {"job": job.pk, "kind": "counting"}
    Job.objects.update(created_at=timezone.now() - timedelta(seconds=60))
    assert sweep_jobs() == []


def test_a_worker_stops_at_the_next_step(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "STORE_EVERY_SECONDS", 0.0)
    done: list[int] = []
    cleared: list[bool] = []

    def run(job: Job, steps: Steps) -> Mapping[str, Any]:
        try:
            for number in range(10):
                steps(number, 10)
                done.append(number)
                if number == 3:
                    cancel_job(job=job, actor=None)
        except JobCancelled:
            cleared.append(True)
            raise
        return {}

    kinds.runs("long", title="long")(run)
    job = ask(project, "long")
    ended(job)
    assert (job.status, job.result, done, cleared) == ("cancelled", None, [0, 1, 2, 3], [True])


@pytest.mark.django_db(transaction=True)
def test_four_requests_with_one_key_are_one_job(project: Project, sent: list[int]) -> None:
    key = uuid4()

    def request() -> int:
        return request_job(project=project, kind="counting", data={}, actor=None, request_key=key).pk

    asked = race([request] * 4)
    (job,) = Job.objects.all()
    assert asked == [job.pk] * 4
    assert sent == [job.pk]


def test_a_silent_worker_is_replaced_and_cannot_come_back(project: Project) -> None:
    job = ask(project, to=3)
    dead = leases.claim(Job, job.pk)
    assert dead is not None
    assert run_job(job.pk) is False
    expire(job)
    assert run_job(job.pk) is True
    with pytest.raises(JobCancelled):
        Steps(dead)(1, 2)
    assert leases.finish(dead, result={"from": "the dead"}) is False
    job.refresh_from_db()
    assert (job.status, job.attempts, job.result) == ("done", 2, {"counted": 3})


@pytest.mark.parametrize("swept", [True, False])
def test_a_job_that_stops_its_workers_is_given_up(project: Project, sent: list[int], swept: bool) -> None:
    job = ask(project, to=3)
    for _ in range(3):
        assert leases.claim(Job, job.pk) is not None
        expire(job)
    assert not (sweep_jobs() if swept else leases.claim(Job, job.pk))
    job.refresh_from_db()
    assert (job.status, job.attempts) == ("failed", 3)
    assert job.error.startswith("The job stopped its worker 3 times")


def test_the_sweep_sends_what_waits_and_waits_for_what_it_sent(project: Project, sent: list[int]) -> None:
    job = ask(project, to=3)
    assert sweep_jobs() == []  # too young: its own process may be about to send it
    Job.objects.update(created_at=timezone.now() - timedelta(seconds=6))
    assert [sweep_jobs(), sweep_jobs()] == [[job.pk], []]
    expire(job)
    assert sweep_jobs() == [job.pk]
    run_job(job.pk)
    assert sweep_jobs() == []


@pytest.mark.parametrize("error", [BrokerUnavailable("no broker"), OSError("no folder")])
def test_a_broker_that_is_down_leaves_the_row_queued(
    project: Project, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    break_broker(monkeypatch, error)
    job = ask(project, to=3)
    assert send_wake_up(job.pk) is False
    job.refresh_from_db()
    assert (job.status, job.lease_until) == ("queued", None)


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.runs("kind", title="kind")(raising(OperationalError("server closed the connection")))
    return ask(make_project("study"), "kind")


@pytest.mark.parametrize("error", [OperationalError("terminated"), InterfaceError("closed")])
def test_it_is_given_back_and_done_next(job: Job, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.runs("kind", title="kind")(raising(error))
    ended(job)
    assert (job.status, job.attempts, job.error, job.lease_until) == ("queued", 1, "", None)
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.runs("kind", title="kind")(returning({"found": 3}))
    ended(job)
    assert (job.status, job.attempts, job.result) == ("done", 2, {"found": 3})


def test_while_the_database_is_away_the_lease_stands(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_claim: leases.Claim) -> bool:
        raise OperationalError("connection refused")

    monkeypatch.setattr(leases, "give_back", away)
    ended(job)
    assert job.status == "running"
    assert job.lease_until is not None


def test_what_was_taken_over_is_not_given_back(job: Job) -> None:
    claim = leases.claim(Job, job.pk)
    assert claim is not None
    Job.objects.filter(pk=job.pk).update(attempts=2)
    assert leases.give_back(claim) is False
    job.refresh_from_db()
    assert job.status == "running"
