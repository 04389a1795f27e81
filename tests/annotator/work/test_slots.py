"""So many do one kind of work at once, and no more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from annotator import tasks
from annotator.models import Job
from annotator.work import kinds
from annotator.work.jobs import send_wake_up
from annotator.work.process_limits import ROOT
from annotator.work.slots import slot
from config.celery import app
from tests.annotator.job_acts import ask, counting
from tests.factories import make_project


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path


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
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Which task was sent for which job; jobs of two kinds are known, of which one reads files."""
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.register("counting", counting)
    kinds.register("reading", counting, reads_files=True)
    found: list[tuple[str, int]] = []
    monkeypatch.setattr(
        app, "send_task", lambda name, args, **_: found.append((name.rpartition(".")[2], args[0]))
    )
    return found


@pytest.mark.django_db
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


@pytest.mark.django_db
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
