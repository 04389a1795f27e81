"""Notify workers of waiting rows. A message may be lost or repeated; the sweep and the claim allow for
that."""

from __future__ import annotations

from datetime import timedelta
from itertools import takewhile

from django.db.models import Q
from django.utils import timezone

from annotator.models import LeasedWork
from annotator.work import leases
from annotator.work.sending import TaskName, send

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
    leases.free_expired(model)
    now = timezone.now()
    waiting = model._default_manager.filter(
        Q(lease_until__isnull=True, created_at__lt=now - YOUNG) | Q(lease_until__lt=now),
        ready or Q(),
        status=LeasedWork.Status.QUEUED,
    )
    ids = waiting.order_by("pk").values_list("pk", flat=True)
    # An unreachable broker costs seconds per attempt: stop at the first failure.
    return list(takewhile(lambda pk: wake(model, pk, task), ids))
