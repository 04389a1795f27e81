"""A real worker that waits where a test tells it to: `celery -A tests.analysis.obedient_worker`.

While `hold` is in the folder WORKER_ORDERS, a computation waits, after leaving `started` there.
"""

from __future__ import annotations

import os
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
    while (ORDERS / "hold").exists():
        time.sleep(0.05)
