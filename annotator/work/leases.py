"""Who works on a row of leased work: claims, leases and endings, each one conditional UPDATE.

A worker holds a row for LEASE and renews it while it works. `attempts` is the fence: it rises with every
claim, and a worker that was taken for dead and comes back finds that its number has passed. A row that
was cancelled is closed at once; whoever was at it finds its claim lost.
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
    f"This stopped its worker {MAX_ATTEMPTS} times and is not tried again by itself. "
    "The worker's log may say why; often it is memory."
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Claim:
    """The right to work on a row, good until another attempt begins or somebody cancels it."""

    model: type[LeasedWork]
    pk: int
    attempt: int

    @property
    def held(self) -> QuerySet[LeasedWork]:
        """The row, as long as the claim is good."""
        return _rows(self.model).filter(pk=self.pk, status=Status.RUNNING, attempts=self.attempt)

    def __str__(self) -> str:
        return f"{self.model.__name__} {self.pk}"


def claim(model: type[LeasedWork], pk: int) -> Claim | None:
    """Take a row that is queued or whose worker fell silent; None where there is nothing to take.

    One that has stopped its worker MAX_ATTEMPTS times is failed instead.
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
            # Work that another row's has come to may begin with progress; what is done anew begins anew.
            **({"progress": 0} if attempts else {}),
        )
    return Claim(model, pk, attempts + 1) if taken else None


def renew(claim: Claim, **values: Any) -> bool:
    """Prolong the lease and store values such as the progress; False where the claim is lost."""
    with write_transaction():
        return claim.held.update(lease_until=timezone.now() + LEASE, **values) == 1


def finish(claim: Claim, **values: Any) -> bool:
    """Store the result; False, with nothing stored, where the claim is lost."""
    with write_transaction():
        return end(claim.held, status=Status.DONE, progress=100, **values)


def fail(claim: Claim, error: str) -> bool:
    """Store why it failed, in words for people; False where the claim is lost."""
    with write_transaction():
        return end(claim.held, status=Status.FAILED, error=error)


def give_back(claim: Claim) -> bool:
    """Put a row back in the queue, for whoever is told of it next; False where the claim is lost."""
    with write_transaction():
        return claim.held.update(status=Status.QUEUED, lease_until=None) == 1


def cancel(model: type[LeasedWork], pk: int) -> bool:
    """Close a row that is queued or running; False where it has ended already."""
    with write_transaction():
        return end(_rows(model).filter(pk=pk, status__in=UNDER_WAY), status=Status.CANCELLED)


def free_expired(model: type[LeasedWork]) -> None:
    """Put rows whose worker fell silent back in the queue, and fail those that stopped too many."""
    silent = _rows(model).filter(status=Status.RUNNING, lease_until__lt=timezone.now())
    with write_transaction():
        end(silent.filter(attempts__gte=MAX_ATTEMPTS), status=Status.FAILED, error=STOPPED_ITS_WORKER)
        silent.filter(attempts__lt=MAX_ATTEMPTS).update(status=Status.QUEUED, lease_until=None)


def end(rows: QuerySet[LeasedWork], **values: Any) -> bool:
    """Close the rows that still fit the condition; whether there were any."""
    return rows.update(finished_at=timezone.now(), lease_until=None, **values) > 0


def _claimable(now: datetime) -> Q:
    return Q(status=Status.QUEUED) | Q(status=Status.RUNNING, lease_until__lt=now)


def _rows(model: type[LeasedWork]) -> QuerySet[LeasedWork]:
    return model._default_manager.all()


class Heartbeat:
    """Renews a claim from a thread of its own while the block computes."""

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
            # The next beat may get through; if none does, the lease ends, as it should.
            log.warning("The lease of %s could not be renewed.", self._claim, exc_info=True)
            return True
