"""Claims, leases and outcomes of leased work, each one conditional UPDATE.

A worker claims a row for LEASE and renews the lease while it works. `attempts` is the fencing token: it rises
with every claim, so a worker that was presumed dead finds its claim lost. A cancelled row is closed
immediately, and its worker finds the claim lost. Workers are notified of waiting rows; a notification may
be lost or repeated, and the sweep and the claim allow for that.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any, Self

from django.db import DatabaseError, connection
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import LeasedWork
from annotator.work.liveness import sign_of_life
from annotator.work.sending import TaskName, send

Status = LeasedWork.Status
UNDER_WAY = (Status.QUEUED, Status.RUNNING)
LEASE = timedelta(seconds=40)
RENEW_EVERY_SECONDS = 10.0
MAX_ATTEMPTS = 3
STOPPED_ITS_WORKER = (
    f"The job stopped its worker {MAX_ATTEMPTS} times and is not retried automatically. "
    "The worker's log may have the cause, often a lack of memory."
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Claim:
    """The exclusive right to work on a row, valid until another attempt starts or the row is cancelled."""

    model: type[LeasedWork]
    pk: int
    attempt: int

    @property
    def held(self) -> QuerySet[LeasedWork]:
        """Return the row while the claim is valid."""
        return _rows(self.model).filter(pk=self.pk, status=Status.RUNNING, attempts=self.attempt)

    def __str__(self) -> str:
        return f"{self.model.__name__} {self.pk}"


def claim(model: type[LeasedWork], pk: int) -> Claim | None:
    """Claim a row that is queued or whose lease has expired; return None if it cannot be claimed.

    After MAX_ATTEMPTS attempts, the row fails instead.
    """
    now = timezone.now()
    free = _rows(model).filter(_claimable(now), pk=pk)
    attempts = free.values_list("attempts", flat=True).first()
    if attempts is None:
        return None
    with write_transaction():
        if attempts >= MAX_ATTEMPTS:
            end(free.filter(attempts=attempts), status=Status.FAILED, error=STOPPED_ITS_WORKER)
            return None
        taken = free.filter(attempts=attempts).update(
            status=Status.RUNNING,
            attempts=attempts + 1,
            started_at=now,
            lease_until=now + LEASE,
            error="",
            # Work continued from another row keeps its progress; a retry starts at 0.
            **({"progress": 0} if attempts else {}),
        )
    return Claim(model, pk, attempts + 1) if taken else None


def renew(claim: Claim, **values: Any) -> bool:
    """Renew the lease and store values such as the progress; return False if the claim is lost."""
    with write_transaction():
        return claim.held.update(lease_until=timezone.now() + LEASE, **values) == 1


def finish(claim: Claim, **values: Any) -> bool:
    """Store the result; return False, storing nothing, if the claim is lost."""
    with write_transaction():
        return end(claim.held, status=Status.DONE, progress=100, **values)


def fail(claim: Claim, error: str) -> bool:
    """Store the error message; return False if the claim is lost."""
    with write_transaction():
        return end(claim.held, status=Status.FAILED, error=error)


def give_back(claim: Claim) -> bool:
    """Return a row to the queue; return False if the claim is lost."""
    with write_transaction():
        return claim.held.update(status=Status.QUEUED, lease_until=None) == 1


def cancel(model: type[LeasedWork], pk: int) -> bool:
    """Cancel a queued or running row; return False if it has already ended."""
    with write_transaction():
        return end(_rows(model).filter(pk=pk, status__in=UNDER_WAY), status=Status.CANCELLED)


def free_expired(model: type[LeasedWork]) -> None:
    """Return rows with expired leases to the queue, and fail those with too many attempts."""
    silent = _rows(model).filter(status=Status.RUNNING, lease_until__lt=timezone.now())
    with write_transaction():
        end(silent.filter(attempts__gte=MAX_ATTEMPTS), status=Status.FAILED, error=STOPPED_ITS_WORKER)
        silent.filter(attempts__lt=MAX_ATTEMPTS).update(status=Status.QUEUED, lease_until=None)


def end(rows: QuerySet[LeasedWork], **values: Any) -> bool:
    """Close the rows that still match the condition; return whether there were any."""
    return rows.update(finished_at=timezone.now(), lease_until=None, **values) > 0


def _claimable(now: datetime) -> Q:
    return Q(status=Status.QUEUED) | Q(status=Status.RUNNING, lease_until__lt=now)


def _rows(model: type[LeasedWork]) -> QuerySet[LeasedWork]:
    return model._default_manager.all()


class Heartbeat:
    """Renew a claim from a separate thread while the block runs."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._stop.wait(RENEW_EVERY_SECONDS):
                sign_of_life()
                if not self._renewed():
                    return
        finally:
            connection.close()

    def _renewed(self) -> bool:
        try:
            return renew(self._claim)
        except DatabaseError:
            # The next attempt may succeed; if none does, the lease expires as intended.
            log.warning("The lease of %s could not be renewed.", self._claim, exc_info=True)
            return True


STORE_EVERY_SECONDS = 0.5


class JobCancelled(Exception):
    """The row was cancelled, or another worker has taken it over."""


class Steps:
    """Called as `steps(done, total)` between pieces of work, outside transactions.

    Stores the progress at most twice a second, renews the lease with it, and raises JobCancelled if the claim
    is lost. Functions with open files or partial rows catch it, clean up and raise it again.
    """

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._stored_at = float("-inf")
        self.told: Callable[[int, int], None] | None = None
        """Told the stored progress, for work that waits for this."""

    def __call__(self, done: int, total: int) -> None:
        """Record that `done` of `total` pieces are done; raises JobCancelled."""
        now = time.monotonic()
        if now - self._stored_at < STORE_EVERY_SECONDS:
            return
        self._stored_at = now
        # 100 percent means that a result is stored.
        percent = min(99, max(0, 100 * done // total)) if total > 0 else 0
        self.store(progress=percent)

    def between(self, low: int, high: int) -> Callable[[int, int], None]:
        """Return steps of a part of the work, which fills the progress from `low` to `high` percent."""
        return lambda done, total: self(low * total + (high - low) * done, 100 * total)

    def store(self, **values: object) -> None:
        """Store values of the row now; raises JobCancelled."""
        if not renew(self._claim, **values):
            raise JobCancelled(f"{self._claim} has been taken over by another worker.")
        if self.told is not None and isinstance(progress := values.get("progress"), int):
            self.told(progress, 100)


# Time for a claim before a wake-up is resent.
SEND_AGAIN = timedelta(seconds=20)
# A younger row may not have been sent yet by the process that created it.
YOUNG = timedelta(seconds=5)


def wake(model: type[LeasedWork], pk: int, task: TaskName) -> bool:
    """Send a row's id to the workers; return False if the broker is down and a sweep has to resend it."""
    if not send(task, pk):
        return False
    queued = model._default_manager.filter(pk=pk, status=LeasedWork.Status.QUEUED)
    queued.update(lease_until=timezone.now() + SEND_AGAIN)
    return True


def sweep(model: type[LeasedWork], task: TaskName, ready: Q | None = None) -> list[int]:
    """Resend lost wake-ups and rows of dead workers, if `ready`; return the ids sent."""
    free_expired(model)
    now = timezone.now()
    waiting = model._default_manager.filter(
        Q(lease_until__isnull=True, created_at__lt=now - YOUNG) | Q(lease_until__lt=now),
        ready or Q(),
        status=LeasedWork.Status.QUEUED,
    )
    ids = waiting.order_by("pk").values_list("pk", flat=True)
    # An unreachable broker costs seconds per attempt: stop at the first failure.
    return list(takewhile(lambda pk: wake(model, pk, task), ids))
