"""What queued work waits for: counted from the rows of its own queue, never without bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.models import Job
from annotator.work import kinds
from annotator.work.liveness import sign_of_life
from annotator.work.waiting import wait_of
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
