"""A real Celery worker, asked over the queue in a folder.

tests/config/deploy/test_restarts.py kills those of a whole process set, whose queue is in Redis.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery
from django.conf import settings

from analysis.models import Report
from analysis.reports.lifecycle import queue_report
from analysis.stats.generic.tables import rows_of
from annotator.models import Project
from config import transport
from config.celery import app
from tests.analysis.processes import child_environment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

PATIENCE_SECONDS = 90.0


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What a worker says that takes the messages of this process and sweeps; it is killed at the end."""
    sender = Celery("sender", broker=f"{transport.ALIAS}://", set_as_current=False)
    options = transport.folder_options(tmp_path / "queue")
    sender.conf.update(broker_transport_options=options, task_publish_retry=False)
    monkeypatch.setattr(app, "send_task", sender.send_task)
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "-B", "--concurrency", "1"]
    with (tmp_path / "worker.log").open("wb") as log:
        worker = subprocess.Popen(
            [*command, "--schedule", str(tmp_path / "beat"), "--loglevel", "WARNING"],
            cwd=settings.BASE_DIR,
            env=child_environment(VAR_DIR=str(tmp_path), REDIS_URL=""),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    yield tmp_path / "worker.log"
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait(timeout=10)


def test_a_worker_computes_what_was_asked(project: Project, log: Path) -> None:
    report = queue_report(project_id=project.pk, kind="agreement")
    begun = time.monotonic()
    while report.status != Report.Status.DONE:
        assert time.monotonic() - begun < PATIENCE_SECONDS, log.read_text()
        time.sleep(0.1)
        report.refresh_from_db()
    assert (report.attempts, report.annotations) == (1, 7)
    assert report.result is not None
    assert rows_of(report.result, "pairs")[0]["annotators"] == ["anno1", "anno2"]
