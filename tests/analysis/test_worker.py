"""Real Celery workers: asked, killed in the middle, replaced.

tests/config/deploy/test_restarts.py kills those of a whole process set, whose queue is in Redis.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from celery import Celery
from django.conf import settings

from analysis.models import Report
from analysis.reports.lifecycle import queue_report
from annotator.models import Project
from config import transport
from config.celery import app
from tests.analysis.processes import child_environment
from tests.analysis.stats.generic.making import rows_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

PATIENCE_SECONDS = 90.0


class Workers:
    """Worker processes on one queue; what is left of them is killed at the end."""

    def __init__(self, folder: Path) -> None:
        self.orders = folder / "orders"
        self.orders.mkdir()
        self._folder, self.log = folder, folder / "worker.log"
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self) -> subprocess.Popen[bytes]:
        """Start a worker with its sweep."""
        command = ["-m", "celery", "-A", "tests.analysis.obedient_worker", "worker", "-B"]
        options = ["--concurrency", "1", "--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
        told = {"VAR_DIR": str(self._folder), "REDIS_URL": "", "WORKER_ORDERS": str(self.orders)}
        with self.log.open("ab") as log:
            worker = subprocess.Popen(
                [sys.executable, *command, *options],
                cwd=settings.BASE_DIR,
                env=child_environment(**told),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.running.append(worker)
        return worker

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """Kill the worker with its children, as a power cut does: no warning, nothing handed back."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(timeout=10)
        self.running.remove(worker)


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    workers = Workers(tmp_path)
    sender = Celery("sender", broker=f"{transport.ALIAS}://", set_as_current=False)
    options = transport.folder_options(tmp_path / "queue")
    sender.conf.update(broker_transport_options=options, task_publish_retry=False)
    monkeypatch.setattr(app, "send_task", sender.send_task)
    yield workers
    for worker in list(workers.running):
        workers.kill(worker)


def wait_for(condition: Callable[[], object], workers: Workers) -> float:
    """Seconds until the condition holds; fails, with the workers' log, after PATIENCE_SECONDS."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > PATIENCE_SECONDS:
            states = list(Report.objects.values_list("kind", "status", "attempts", "error"))
            pytest.fail(f"still waiting; reports: {states}; the workers say:\n{workers.log.read_text()}")
        time.sleep(0.1)
    return time.monotonic() - begun


def state(work: Report) -> tuple[str, int]:
    work.refresh_from_db()
    return work.status, work.attempts


def test_a_worker_computes_what_was_asked(project: Project, workers: Workers) -> None:
    report = queue_report(project_id=project.pk, kind="agreement")
    workers.start()
    wait_for(lambda: state(report) == ("done", 1), workers)
    assert report.annotations == 7
    assert report.result is not None
    assert rows_of(report.result, "pairs")[0]["annotators"] == ["anno1", "anno2"]
    # The worker is warm now: from asking to the stored result.
    following = queue_report(project_id=project.pk, kind="comparison")
    assert wait_for(lambda: state(following) == ("done", 1), workers) < 10


@pytest.mark.thorough
def test_a_worker_killed_in_mid_report_is_replaced(project: Project, workers: Workers) -> None:
    (workers.orders / "hold").touch()
    report = queue_report(project_id=project.pk, kind="agreement")
    first = workers.start()
    wait_for((workers.orders / "started").exists, workers)
    assert state(report) == ("running", 1)
    workers.kill(first)
    (workers.orders / "hold").unlink()
    assert state(report) == ("running", 1)
    workers.start()
    wait_for(lambda: state(report) == ("done", 2), workers)
    assert Report.objects.count() == 1
    assert report.annotations == 7
