"""Claims, leases and outcomes of leased work, each one conditional UPDATE.

A worker claims a row for LEASE and renews the lease while it works. `attempts` is the fencing token: it rises
with every claim, so a worker that was presumed dead finds its claim lost. A cancelled row is closed
immediately, and its worker finds the claim lost.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import DatabaseError, connection
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import LeasedWork
from annotator.work.liveness import sign_of_life

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
