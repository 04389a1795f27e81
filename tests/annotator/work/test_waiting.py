"""What queued work waits for: counted from the rows of its own queue, never without bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.models import Job
from annotator.work import kinds, waiting
from annotator.work.liveness import sign_of_life
from annotator.work.waiting import Wait, wait_of
from tests.annotator.job_acts import ask, counting
from tests.factories import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> Path:
    """Two kinds, one of which reads files, and a worker that is alive."""
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.register("counting", counting)
    kinds.register("reading", counting, reads_files=True)
    settings.VAR_DIR = tmp_path
    sign_of_life()
    return tmp_path


def found(job: Job) -> tuple[str, int] | None:
    wait = wait_of(job)
    return None if wait is None else (wait.code, wait.before)


def test_those_before_it_in_its_own_queue_are_counted() -> None:
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


def test_the_count_is_capped_and_one_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "MOST_COUNTED", 2)
    project = make_project()
    jobs = [ask(project) for _ in range(5)]
    assert [found(job) for job in jobs] == [("waiting", 0), *(("behind", n) for n in (1, 2, 3, 3))]
    with CaptureQueriesContext(connection) as queries:
        wait = wait_of(jobs[-1])
    assert len(queries) == 1
    assert "LIMIT 3" in queries[0]["sql"]
    assert wait is not None
    assert "more than 2 jobs" in wait.words


def test_without_a_worker_nothing_is_before_it(folder: Path) -> None:
    ask(make_project())
    job = ask(make_project())
    (folder / "worker-seen").unlink()
    assert found(job) == ("no-worker", 0)


def test_after_a_worker_died() -> None:
    job = ask(make_project())
    Job.objects.update(attempts=1)
    job.refresh_from_db()
    assert found(job) == ("fell-silent", 0)


def test_a_running_job_says_what_it_needs_first() -> None:
    said = ["2 reports", ""]
    kinds.register("awaiting", counting, awaits=lambda _: said.pop(0))
    job = ask(make_project(), "awaiting")
    Job.objects.update(status="running")
    job.refresh_from_db()
    assert wait_of(job) == Wait("awaits", "2 reports")
    assert wait_of(job) is None


def test_an_unknown_kind_waits_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    job = ask(make_project())
    monkeypatch.setattr(kinds, "_KINDS", {})
    assert found(job) == ("waiting", 0)
