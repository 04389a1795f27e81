"""Work whose database goes away: given back, begun again, failed in words where that does not help."""

from __future__ import annotations

import pytest
from django.db import InterfaceError, OperationalError

from annotator.models import Job
from annotator.work import kinds, leases
from annotator.work.jobs import run_job
from tests.annotator.job_acts import ask, raising, returning
from tests.factories import make_project

pytestmark = pytest.mark.django_db
Status = Job.Status


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.register("kind", raising(OperationalError("server closed the connection")))
    return ask(make_project("study"), "kind")


@pytest.mark.parametrize("error", [OperationalError("terminated"), InterfaceError("closed")])
def test_it_is_given_back_and_done_by_whoever_comes_next(
    job: Job, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.register("kind", raising(error))
    assert run_job(job.pk) is False
    job.refresh_from_db()
    assert (job.status, job.attempts, job.error, job.lease_until) == (Status.QUEUED, 1, "", None)
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.register("kind", returning({"found": 3}))
    assert run_job(job.pk) is True
    job.refresh_from_db()
    assert (job.status, job.attempts, job.result) == (Status.DONE, 2, {"found": 3})


def test_it_fails_in_words_where_that_never_helps(job: Job) -> None:
    for _ in range(leases.MAX_ATTEMPTS):
        run_job(job.pk)
    job.refresh_from_db()
    assert (job.status, job.attempts) == (Status.FAILED, leases.MAX_ATTEMPTS)
    assert job.error.startswith("The job failed with an error (OperationalError).")


def test_while_the_database_is_away_the_lease_stands(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_claim: leases.Claim) -> bool:
        raise OperationalError("connection refused")

    monkeypatch.setattr(leases, "give_back", away)
    assert run_job(job.pk) is False
    job.refresh_from_db()
    assert job.status == Status.RUNNING
    assert job.lease_until is not None


def test_what_was_taken_over_is_not_given_back(job: Job) -> None:
    claim = leases.claim(Job, job.pk)
    assert claim is not None
    Job.objects.filter(pk=job.pk).update(attempts=2)
    assert leases.give_back(claim) is False
    job.refresh_from_db()
    assert job.status == Status.RUNNING
