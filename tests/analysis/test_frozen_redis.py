"""A Redis that does not answer for a while, as jobs end: a worker takes jobs again by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from analysis.models import Report
from analysis.reports.lifecycle import queue_report
from annotator.models import Project
from config.celery import app
from config.operations import prerequisites
from tests.analysis.test_worker import Workers, state, wait_for
from tests.config.test_transport import server

__all__ = ["server"]

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(600),
]

TIMES, FROZEN_SECONDS = (6, 15.0) if os.environ.get("THOROUGH") else (2, 5.0)
AGAIN_SECONDS = 60.0


def test_a_worker_whose_jobs_end_meanwhile_goes_on(
    project: Project,
    server: tuple[str, subprocess.Popen[bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> None:
    """Longer than the timeout of the socket: what the worker says to Redis is lost, again and again."""
    settings.REDIS_URL, process = server
    workers = Workers(tmp_path, settings.REDIS_URL)
    monkeypatch.setattr(app, "send_task", workers.sender().send_task)
    hold, started = workers.orders / "hold", workers.orders / "started"
    try:
        workers.start()
        for _ in range(TIMES):
            Report.objects.all().delete()  # or nothing would have to be computed again
            hold.touch()
            started.unlink(missing_ok=True)
            held = queue_report(project_id=project.pk, kind="agreement")
            wait_for(started.exists, workers)
            process.send_signal(signal.SIGSTOP)
            try:
                hold.unlink()
                wait_for(partial(_is_done, held), workers)
                assert prerequisites.queue().startswith("Redis is not responding")
                time.sleep(FROZEN_SECONDS)
            finally:
                process.send_signal(signal.SIGCONT)
            following = queue_report(project_id=project.pk, kind="comparison")
            assert wait_for(partial(_is_done, following), workers) < AGAIN_SECONDS
            assert prerequisites.queue() == ""
    finally:
        workers.end()
    assert set(Report.objects.values_list("status", flat=True)) == {"done"}


def _is_done(report: Report) -> bool:
    return state(report)[0] == "done"
