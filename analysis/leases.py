"""Who works on a report: claims, leases and endings, each one conditional UPDATE.

A worker holds a report for LEASE and renews it while it works. `attempts` is the fence: it rises with
every claim, and a worker that was taken for dead and comes back finds that its number has passed.
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

from analysis.models import Report
from annotator.transactions import write_transaction

LEASE = timedelta(seconds=60)
RENEW_EVERY_SECONDS = 15.0
MAX_ATTEMPTS = 3
STOPPED_ITS_WORKER = (
    f"The computation stopped its worker {MAX_ATTEMPTS} times and is not tried again by itself. "
    "The worker's log may say why; often it is memory."
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Claim:
    """The right to work on a report, good until another attempt begins."""

    report_id: int
    attempt: int

    @property
    def held(self) -> QuerySet[Report]:
        """The report, as long as the claim is good."""
        return Report.objects.filter(pk=self.report_id, status=Report.Status.RUNNING, attempts=self.attempt)


def claimable(now: datetime) -> Q:
    """Return the condition of reports that nobody is working on."""
    return Q(status=Report.Status.QUEUED) | Q(status=Report.Status.RUNNING, lease_until__lt=now)


def claim(report_id: int) -> Claim | None:
    """Take a report that is queued or whose worker fell silent; None where there is nothing to take.

    One that has stopped its worker MAX_ATTEMPTS times is failed instead.
    """
    now = timezone.now()
    free = Report.objects.filter(claimable(now), pk=report_id)
    attempts = free.values_list("attempts", flat=True).first()
    if attempts is None:
        return None
    with write_transaction():
        if attempts >= MAX_ATTEMPTS:
            end(free.filter(attempts=attempts), status=Report.Status.FAILED, error=STOPPED_ITS_WORKER)
            return None
        taken = free.filter(attempts=attempts).update(
            status=Report.Status.RUNNING,
            attempts=attempts + 1,
            progress=0,
            started_at=now,
            lease_until=now + LEASE,
            error="",
        )
    return Claim(report_id, attempts + 1) if taken else None


def renew(claim: Claim, **values: Any) -> bool:
    """Prolong the lease and store values such as the progress; False where the claim is lost."""
    with write_transaction():
        return claim.held.update(lease_until=timezone.now() + LEASE, **values) == 1


def finish(claim: Claim, **values: Any) -> bool:
    """Store the result; False, with nothing stored, where the claim is lost."""
    with write_transaction():
        return end(claim.held, status=Report.Status.DONE, progress=100, **values)


def fail(claim: Claim, error: str) -> bool:
    """Store why it failed, in words for people; False where the claim is lost."""
    with write_transaction():
        return end(claim.held, status=Report.Status.FAILED, error=error)


def free_expired() -> None:
    """Put reports whose worker fell silent back in the queue, and fail those that stopped too many."""
    now = timezone.now()
    silent = Report.objects.filter(status=Report.Status.RUNNING, lease_until__lt=now)
    with write_transaction():
        end(silent.filter(attempts__gte=MAX_ATTEMPTS), status=Report.Status.FAILED, error=STOPPED_ITS_WORKER)
        silent.filter(attempts__lt=MAX_ATTEMPTS).update(status=Report.Status.QUEUED, lease_until=None)


def end(reports: QuerySet[Report], **values: Any) -> bool:
    """Close the reports that still fit the condition; whether there were any."""
    return reports.update(finished_at=timezone.now(), lease_until=None, **values) > 0


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
                if not self._renewed():
                    return
        finally:
            connection.close()

    def _renewed(self) -> bool:
        try:
            return renew(self._claim)
        except DatabaseError:
            # The next beat may get through; if none does, the lease ends, as it should.
            log.warning("The lease of report %s could not be renewed.", self._claim.report_id, exc_info=True)
            return True
