"""Health checks of a running server: dependencies, workers, waiting work and disks."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db.models import Count, Min, Q
from django.utils import timezone

from analysis.models import Report
from annotator.models import Image, Job, LeasedWork
from annotator.work.liveness import worker_seen, worker_silent
from config.operations import heartbeats, prerequisites
from config.operations.health import HealthCheck, HealthState, ago, ask, bad, good, warn

WORKERS: Final = "Workers"
NEEDED: Final = frozenset(
    {prerequisites.DATABASE, prerequisites.MIGRATIONS, prerequisites.MEDIA}
    | {prerequisites.LIBRARIES, prerequisites.QUEUE, WORKERS}
)
WAITS_LONG: Final = 2 * 60
WAITS_TOO_LONG: Final = 15 * 60
LITTLE_ROOM: Final = 0.10
NO_ROOM: Final = 0.02
RANKS: Final = {HealthState.GOOD: 0, HealthState.WARN: 1, HealthState.BAD: 2}


@dataclass(frozen=True)
class WaitingWork:
    """The waiting rows of one kind: their number and the age of the oldest."""

    name: str
    waiting: int
    oldest_seconds: float


def health_checks() -> list[HealthCheck]:
    """Return all health checks, first those of `needed`; without a database, only those that need none."""
    first = ask(prerequisites.database, prerequisites.DATABASE)
    reachable = first.state == HealthState.GOOD
    # Without a database, this probe would wait for the pool and fail for the same reason.
    tables = (
        ask(prerequisites.migrations, prerequisites.MIGRATIONS)
        if reachable
        else bad(prerequisites.MIGRATIONS, "cannot be read.", "See the database check.")
    )
    others = [
        (prerequisites.MEDIA, prerequisites.media),
        (prerequisites.LIBRARIES, prerequisites.libraries),
        (prerequisites.QUEUE, prerequisites.queue),
        (WORKERS, workers),
        ("Disk", disk),
    ]
    if reachable:
        others += [(prerequisites.CLOCK, prerequisites.clock), ("Waiting", waiting)]
    return [first, tables, *(ask(probe, name) for name, probe in others)]


def needed() -> list[HealthCheck]:
    """Return the health checks of what requests and jobs need; the server is ready if all are good."""
    return [light for light in health_checks() if light.name in NEEDED]


def queues() -> list[WaitingWork]:
    """Return what waits for workers, without reports that wait for submissions to pause."""
    now = timezone.now()
    queued = Q(status=LeasedWork.Status.QUEUED)
    due = queued & (Q(due_at__isnull=True) | Q(due_at__lte=now))
    rows = {
        "jobs": Job.objects.filter(queued),
        "reports": Report.objects.filter(due),
        "pictures": Image.objects.filter(display_state=Image.DisplayState.PENDING),
    }
    found = []
    for name, waits in rows.items():
        counted = waits.aggregate(number=Count("pk"), oldest=Min("created_at"))
        age = (now - counted["oldest"]).total_seconds() if counted["oldest"] else 0.0
        found.append(WaitingWork(name, counted["number"], max(0.0, age)))
    return found


def waiting() -> HealthCheck:
    """Check how much work waits, and for how long."""
    found = queues()
    named = {"pictures": "display copies"}
    words = ", ".join(f"{one.waiting} {named.get(one.name, one.name)}" for one in found) + " waiting"
    oldest = max(queue.oldest_seconds for queue in found)
    if oldest < WAITS_LONG:
        return good("Waiting", f"{words}.")
    light = bad if oldest > WAITS_TOO_LONG else warn
    advice = "If workers are alive, they are busy: wait, or start another one."
    return light("Waiting", f"{words}, the oldest for {ago(oldest)}.", advice)


def workers() -> HealthCheck:
    """Check that the sweep, which beat sends and a worker runs, ran recently."""
    alive = [name for name, age in heartbeats.heard().items() if age < 60]
    seen = worker_seen()
    if not worker_silent():
        number = max(1, len(alive))
        return good(WORKERS, f"{number} worker{'' if number == 1 else 's'} alive.")
    since = f"since {ago(timezone.now().timestamp() - seen.timestamp())}" if seen else "so far"
    if alive:
        return bad(WORKERS, f"A worker is alive, but no sweep has run {since}.", "Start exactly one beat.")
    return bad(
        WORKERS, f"No worker has been alive {since}.", "Start a worker and one beat, and check their logs."
    )


def disk() -> HealthCheck:
    """Check the free space for media (or uploads if media are in a bucket) and VAR_DIR."""
    filled = settings.UPLOAD_DIR if settings.MEDIA_STORE else settings.MEDIA_ROOT
    free = {folder: _free(Path(folder)) for folder in (filled, settings.VAR_DIR)}
    least = min(share for share, _ in free.values())
    words = f"{least:.0%} free ({min(size for _, size in free.values()) / 1e9:.0f} GB)."
    if least >= LITTLE_ROOM:
        return good("Disk", words)
    light = bad if least < NO_ROOM else warn
    return light("Disk", words, "Free space or move media to a larger disk. A full disk prevents saving.")


def _free(folder: Path) -> tuple[float, int]:
    while not folder.exists():
        folder = folder.parent
    usage = shutil.disk_usage(folder)
    return usage.free / max(1, usage.total), usage.free
