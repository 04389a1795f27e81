"""Real worker processes, and how they are killed in the middle of a job."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from annotator.models import Job
from tests.analysis.processes import child_environment
from tests.annotator.job_acts import expire

PATIENCE_SECONDS = 90.0
WORKER = """
import sys
import django
django.setup()
from annotator.work import jobs
jobs.run_job(int(sys.argv[1]))
"""


def worker(job: Job, folder: Path) -> subprocess.Popen[bytes]:
    """A real process that does the job."""
    environment = child_environment(VAR_DIR=str(folder), MEDIA_ROOT=str(folder / "media"))
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(job.pk)], cwd=settings.BASE_DIR, env=environment
    )


def killed_when(process: subprocess.Popen[bytes], reached: Callable[[], bool]) -> None:
    """Kill the process without warning once a state is reached, which has to come."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not reached():
        assert process.poll() is None, "the worker had done everything before it was killed"
        assert time.monotonic() < end
        time.sleep(0.01)
    process.kill()
    process.wait(timeout=30)


def carried_out(job: Job, folder: Path) -> None:
    """Another worker takes the job over once the dead one's lease has ended."""
    expire(job)
    assert worker(job, folder).wait(timeout=PATIENCE_SECONDS) == 0
    job.refresh_from_db()
    assert (job.status, job.attempts) == ("done", 2)
