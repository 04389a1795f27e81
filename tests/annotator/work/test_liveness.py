"""Signs of life."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from celery.signals import task_revoked, worker_ready

from annotator.tasks import sweep_jobs
from annotator.work.liveness import worker_seen, worker_silent


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


@pytest.mark.django_db
def test_the_sweep_is_a_sign_of_life_for_some_time(folder: Path) -> None:
    sweep_jobs.apply()
    seen = worker_seen()
    assert seen is not None
    assert abs(seen.timestamp() - time.time()) < 5
    assert worker_silent() is False
    os.utime(folder / "worker-seen", (time.time() - 46, time.time() - 46))
    assert worker_silent() is True
