"""Health checks: what the server needs, and what to do where something is missing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connections
from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone
from django.utils.timesince import timesince

from analysis.models import Report
from annotator.models import Image, Job, LeasedWork
from annotator.work.liveness import worker_seen, worker_silent
from config.operations import prerequisites

WAITS_LONG: Final = 2 * 60
LITTLE_ROOM: Final = 0.10


@dataclass(frozen=True)
class HealthCheck:
    """One health check: `probe` returns its fault and what to do, or nothing.

    Requests or jobs fail without what is `needed`; the fault of any other is a warning. Checks that `follow`
    the database are not asked without one: each would wait for the pool and fail for the same reason.
    """

    name: str
    probe: Callable[[], str]
    needed: bool = True
    follows: bool = False

    def fault(self) -> str:
        """Return the fault; a probe that raises is one, and does not affect the others."""
        try:
            return self.probe()
        except Exception as error:  # noqa: BLE001  the answer must come in any case
            return f"the check failed to run ({type(error).__name__}). See the web log for the reason."


def faults(checks: Sequence[HealthCheck]) -> dict[HealthCheck, str]:
    """Return each check with its fault, or with nothing, in their order; the first is the database's."""
    database, *others = checks
    unreachable = database.fault()
    skipped = "not checked without the database." if unreachable else ""
    return {database: unreachable, **{each: (each.follows and skipped) or each.fault() for each in others}}


def workers() -> str:
    """Check that the sweep, which beat sends and a worker runs, ran recently."""
    if not worker_silent():
        return ""
    seen = worker_seen()
    since = f"for {_ago(seen)}" if seen else "so far"
    return f"No worker has taken a job {since}. Start a worker and exactly one beat, and check their logs."


def waiting() -> str:
    """Check whether work waits long."""
    now = timezone.now()
    queued = Q(status=LeasedWork.Status.QUEUED)
    rows: dict[str, QuerySet[Job] | QuerySet[Report] | QuerySet[Image]] = {
        "jobs": Job.objects.filter(queued),
        "reports": Report.objects.filter(queued),
        "display copies": Image.objects.filter(display_state=Image.DisplayState.PENDING),
    }
    counted = {
        name: waits.aggregate(number=Count("pk"), oldest=Min("created_at")) for name, waits in rows.items()
    }
    oldest: datetime = min((count["oldest"] for count in counted.values() if count["oldest"]), default=now)
    if (now - oldest).total_seconds() < WAITS_LONG:
        return ""
    words = ", ".join(f"{count['number']} {name}" for name, count in counted.items())
    return (
        f"{words} waiting, the oldest for {_ago(oldest)}. "
        "If workers are alive, they are busy: wait, or start another one."
    )


def disk() -> str:
    """Check the free space for media and VAR_DIR."""
    filled = () if settings.MEDIA_STORE else (settings.MEDIA_ROOT,)
    share, free = min(_free(Path(folder)) for folder in (*filled, settings.VAR_DIR))
    if share >= LITTLE_ROOM:
        return ""
    return (
        f"{share:.0%} free ({free / 1e9:.0f} GB). "
        "Free space or move media to a larger disk. A full disk prevents saving."
    )


def _free(folder: Path) -> tuple[float, int]:
    while not folder.exists():
        folder = folder.parent
    usage = shutil.disk_usage(folder)
    return usage.free / max(1, usage.total), usage.free


def _ago(moment: datetime) -> str:
    return timesince(moment, depth=1).replace("\N{NO-BREAK SPACE}", " ")


QUEUE: Final = HealthCheck("Queue", prerequisites.queue)
TO_START: Final = (
    HealthCheck("Database", prerequisites.database),
    HealthCheck("Migrations", prerequisites.migrations, follows=True),
    HealthCheck("Media", prerequisites.media),
    HealthCheck("Libraries", prerequisites.libraries),
    QUEUE,
)
CHECKS: Final = (
    *TO_START,
    HealthCheck("Workers", workers, follows=True),
    HealthCheck("Disk", disk, needed=False),
    HealthCheck("Waiting", waiting, needed=False, follows=True),
)
NEEDED: Final = tuple(check for check in CHECKS if check.needed)


def require_startable(process: str) -> None:
    """Print every fault on one line; raise SystemExit if the process could not work.

    Less than `NEEDED`: the first process cannot wait for a worker, and saving annotations needs no queue.
    """
    try:
        found = faults(TO_START)
    finally:
        connections.close_all()  # a process that forks must not share them
    # What follows the database has the same fault.
    unreachable = bool(found[TO_START[0]])
    wrong = {check: fault for check, fault in found.items() if fault and not (unreachable and check.follows)}
    for check, fault in wrong.items():
        verb = "continues" if check is QUEUE else "does not start"
        print(f"{process} {verb}. {check.name}: {fault}", file=sys.stderr, flush=True)
    if wrong.keys() - {QUEUE}:
        raise SystemExit(1)
