"""Sending work to workers: signs of life, tasks, slots, what waits before."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from celery.signals import task_revoked, worker_ready
from django.conf import settings

from annotator import tasks
from annotator.models import Job
from annotator.tasks import sweep_jobs
from annotator.work import kinds
from annotator.work.jobs import send_wake_up
from annotator.work.liveness import sign_of_life, worker_seen, worker_silent
from annotator.work.slots import slot
from annotator.work.waiting import wait_of
from config.celery import app
from tests.annotator.job_acts import ask, counting
from tests.factories import make_project
from tests.support.syntax import parsed

pytestmark = pytest.mark.django_db

ROOT = Path(settings.BASE_DIR)


def registered() -> set[str]:
    """The tasks that a worker knows."""
    app.loader.import_default_modules()
    return set(app.tasks)


def names_sent() -> list[str]:
    """Every name that the program sends a task by, as written; what is no text alone stands as code."""
    return [
        ast.literal_eval(node.args[0]) if isinstance(node.args[0], ast.Constant) else ast.unparse(node)
        for package in ("annotator", "analysis", "config")
        for path in (ROOT / package).rglob("*.py")
        if "TaskName(" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "TaskName"
    ]


def test_every_name_that_is_sent_is_a_registered_task() -> None:
    names = names_sent()
    assert len(names) >= 4
    assert set(names) - registered() == set()


def test_every_task_of_the_schedule_is_registered() -> None:
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} - registered() == set()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    """A folder of this test's own."""
    settings.VAR_DIR = tmp_path
    return tmp_path


def test_nobody_was_ever_heard_of() -> None:
    assert worker_seen() is None
    assert worker_silent() is True


@pytest.mark.parametrize("signal", [worker_ready, task_revoked])
def test_starting_and_refusing_an_old_message_are_signs_of_life(signal: Any) -> None:
    signal.send(sender=None)
    assert worker_silent() is False


def test_the_sweep_is_a_sign_of_life_for_some_time(folder: Path) -> None:
    sweep_jobs.apply()
    seen = worker_seen()
    assert seen is not None
    assert abs(seen.timestamp() - time.time()) < 5
    assert worker_silent() is False
    os.utime(folder / "worker-seen", (time.time() - 46, time.time() - 46))
    assert worker_silent() is True


def test_a_place_is_held_once_and_free_again() -> None:
    with slot("files", 2) as first, slot("files", 2) as second, slot("files", 2) as third:
        assert (first, second, third) == (True, True, False)
        with slot("others", 1) as other:
            assert other
    with slot("files", 1) as again:
        assert again


def test_a_place_ends_with_the_process_that_held_it(settings: Any) -> None:
    program = (
        "from django.conf import settings; settings.configure(VAR_DIR=__import__('sys').argv[1])\n"
        "from annotator.work.slots import slot\n"
        "with slot('files', 1) as free:\n"
        "    print(free, flush=True); input()\n"
    )
    command = [sys.executable, "-c", program, str(settings.VAR_DIR)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        with slot("files", 1) as free:
            assert not free
        holder.kill()
    with slot("files", 1) as free:
        assert free


@pytest.fixture
def _kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kinds of jobs, of which one reads files."""
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.register("counting", counting)
    kinds.register("reading", counting, reads_files=True)


@pytest.fixture
def sent(_kinds: None, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Which task was sent for which job."""
    found: list[tuple[str, int]] = []
    monkeypatch.setattr(
        app, "send_task", lambda name, args, **_: found.append((name.rpartition(".")[2], args[0]))
    )
    return found


def test_work_that_reads_files_has_a_task_and_a_queue_of_its_own(
    sent: list[tuple[str, int]], settings: Any
) -> None:
    project = make_project()
    jobs = [ask(project, kind, to=1) for kind in ("counting", "reading")]
    for job in jobs:
        assert send_wake_up(job.pk)
    assert sent == [("run_job", jobs[0].pk), ("read_file", jobs[1].pk)]
    routes = settings.CELERY_TASK_ROUTES
    assert routes[tasks.run_job.name] == {"queue": "reports"}
    assert routes[tasks.read_file.name] == {"queue": "files"}


def test_a_file_waits_while_enough_are_read_and_is_sent_again_when_one_ends(
    sent: list[tuple[str, int]], settings: Any
) -> None:
    project = make_project()
    first, second = (ask(project, "reading", to=1) for _ in range(2))
    with slot("files", settings.FILES_AT_ONCE):
        tasks.read_file(first.pk)
    assert set(Job.objects.values_list("status", "attempts")) == {("queued", 0)}
    assert sent == []
    tasks.read_file(first.pk)
    assert dict(Job.objects.values_list("pk", "status")) == {first.pk: "done", second.pk: "queued"}
    assert sent == [("read_file", second.pk)]
    tasks.read_file(first.pk)  # told twice
    assert sent == [("read_file", second.pk)]


def found(job: Job) -> tuple[str, int] | None:
    wait = wait_of(job)
    return None if wait is None else (wait.code, wait.before)


@pytest.mark.usefixtures("_kinds")
def test_those_before_it_in_its_own_queue_are_counted() -> None:
    sign_of_life()
    running, cancelled, file, other, last = (
        ask(make_project(), kind) for kind in ("counting", "counting", "reading", "counting", "counting")
    )
    Job.objects.filter(pk=running.pk).update(status="running")
    Job.objects.filter(pk=cancelled.pk).update(status="cancelled")
    assert found(last) == ("behind", 2)
    assert found(other) == ("behind", 1)
    assert found(file) == ("waiting", 0)
    running.refresh_from_db()
    assert found(running) is None
    Job.objects.filter(pk__in=[running.pk, other.pk]).update(status="failed")
    assert found(last) == ("waiting", 0)
