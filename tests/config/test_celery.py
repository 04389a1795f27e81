"""Work that nobody waits for goes behind what somebody waits for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.celery import app

TELL = """
import os, subprocess, sys
from config.celery import give_way
begun = os.nice(0)
give_way(int(sys.argv[1]))
child = subprocess.run([sys.executable, "-c", "import os; print(os.nice(0))"], capture_output=True, text=True)
print(os.nice(0) - begun, int(child.stdout) - begun)
try:
    print(open("/proc/self/autogroup").read().split()[-1])
except OSError:
    print("none")
"""


def told(steps: int) -> list[str]:
    """Return what a process in a session of its own finds after giving way."""
    return subprocess.run(
        [sys.executable, "-c", TELL, str(steps)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    ).stdout.split()


@pytest.mark.parametrize("steps", [0, 7])
def test_the_process_what_it_starts_and_its_session_step_back(steps: int) -> None:
    own, childs, session = told(steps)
    assert (own, childs) == (str(steps), str(steps))
    if Path("/proc/self/autogroup").exists():
        assert session == str(steps)


def test_a_worker_has_as_many_processes_as_there_are_cores() -> None:
    cores = os.cpu_count() or 1
    assert app.conf.worker_concurrency == max(2, min(8, cores))
