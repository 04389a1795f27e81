"""Sending work to workers: signs of life, tasks, what waits before."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from annotator import tasks
from annotator.models import Job, WorkerSeen
from annotator.tasks import sweep_jobs
from annotator.work import kinds
from annotator.work.jobs import send_wake_up
from annotator.work.liveness import sign_of_life, worker_seen, worker_silent
from annotator.work.waiting import wait_of
from config.celery import app
from tests.annotator.job_acts import ask, counting
from tests.factories import make_project

pytestmark = pytest.mark.django_db
ROOT = Path(settings.BASE_DIR)


def registered() -> set[str]:
    """The tasks that a worker knows."""
    app.loader.import_default_modules()
    return set(app.tasks)


def test_every_name_that_is_sent_is_a_registered_task() -> None:
    files = [
        path for package in ("annotator", "analysis", "config") for path in (ROOT / package).rglob("*.py")
    ]
    names = [name for path in files for name in re.findall(r'TaskName\("?([^")]+)', path.read_text())]
    assert len(names) >= 4
    assert set(names) - registered() == set()


def test_every_task_of_the_schedule_is_registered() -> None:
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} - registered() == set()


def test_the_sweep_is_a_sign_of_life_for_some_time() -> None:
    assert (worker_seen(), worker_silent()) == (None, True)
    for _ in range(2):
        sweep_jobs.apply()
        seen = worker_seen()
        assert seen is not None
        assert abs(seen.timestamp() - time.time()) < 5
        assert worker_silent() is False
        WorkerSeen.objects.update(at=timezone.now() - timedelta(seconds=46))
        assert worker_silent() is True
    assert WorkerSeen.objects.count() == 1


def test_a_worker_without_a_database_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(WorkerSeen.objects, "update_or_create", full)
    sign_of_life()
    assert worker_silent() is True


@pytest.fixture
def _kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kinds of jobs, of which one reads files."""
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.runs("counting", title="counting")(counting)
    kinds.runs("reading", title="reading", reads_files=True)(counting)


@pytest.fixture
def sent(_kinds: None, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Which task was sent for which job."""
    found: list[tuple[str, int]] = []
    monkeypatch.setattr(
        app, "send_task", lambda name, args, **_: found.append((name.rpartition(".")[2], args[0]))
    )
    return found


def test_work_that_reads_files_has_a_queue_of_its_own(sent: list[tuple[str, int]], settings: Any) -> None:
    project = make_project()
    jobs = [ask(project, kind, to=1) for kind in ("counting", "reading")]
    for job in jobs:
        assert send_wake_up(job.pk)
    assert sent == [("run_job", jobs[0].pk), ("read_file", jobs[1].pk)]
    routes = settings.CELERY_TASK_ROUTES
    assert routes[tasks.run_job.name] == {"queue": "reports"}
    assert routes[tasks.read_file.name] == {"queue": "files"}


def found(job: Job) -> tuple[str, str] | None:
    wait = wait_of(job)
    return None if wait is None else (wait.code, wait.words)


@pytest.mark.usefixtures("_kinds")
def test_those_before_it_in_its_own_queue_are_counted() -> None:
    sign_of_life()
    running, cancelled, file, other, last = (
        ask(make_project(), kind) for kind in ("counting", "counting", "reading", "counting", "counting")
    )
    Job.objects.filter(pk=running.pk).update(status="running")
    Job.objects.filter(pk=cancelled.pk).update(status="cancelled")
    assert found(last) == ("behind", "Waiting: 2 jobs are before this one.")
    assert found(other) == ("behind", "Waiting: 1 job is before this one.")
    assert found(file) == ("waiting", "Starting soon…")
    running.refresh_from_db()
    assert found(running) is None
    Job.objects.filter(pk__in=[running.pk, other.pk]).update(status="failed")
    assert found(last) == ("waiting", "Starting soon…")
