"""A real worker that waits or dies where a test tells it to: `celery -A tests.analysis.obedient_worker`.

Files in the folder WORKER_ORDERS are the orders: while `hold` is there a computation waits, after leaving
`started`; with `die` it kills its own process, as the kernel does when memory runs out.
"""

from __future__ import annotations

import os
import signal
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from celery.signals import worker_process_init

from config.celery import app

ORDERS = Path(os.environ["WORKER_ORDERS"])

app.conf.beat_schedule = {
    task: {"task": task, "schedule": 1.0}
    for task in ("analysis.tasks.sweep_reports", "annotator.tasks.sweep_jobs")
}
# How long Celery waits before it believes that a child which is gone will send no result.
app.conf.worker_lost_wait = 1.0


@worker_process_init.connect
def obey(**_: Any) -> None:
    """Shorten what tests would otherwise wait for, and let orders reach the computation."""
    from analysis.reports import lifecycle
    from annotator.work import leases

    leases.LEASE = timedelta(seconds=3)
    leases.RENEW_EVERY_SECONDS = 0.5
    leases.SEND_AGAIN = timedelta(seconds=2)
    compute = lifecycle.computation

    def obeying(kind: str, protocol: str = "anatomy") -> Any:
        _carry_out()
        return compute(kind, protocol)

    lifecycle.computation = obeying


def _carry_out() -> None:
    (ORDERS / "started").touch()
    if (ORDERS / "die").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    while (ORDERS / "hold").exists():
        time.sleep(0.05)
