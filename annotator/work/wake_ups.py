"""Telling workers that a row waits. A message may be lost or come twice: sweep and claim see to it."""

from __future__ import annotations

from datetime import timedelta
from itertools import takewhile

from django.db.models import Q
from django.utils import timezone

from annotator.models import LeasedWork
from annotator.work import leases
from annotator.work.sending import TaskName, send

# A wake-up has this long to be answered before it is sent again.
SEND_AGAIN = timedelta(seconds=20)
# A row this young may not have been sent yet by the process that made it.
YOUNG = timedelta(seconds=5)


def wake(model: type[LeasedWork], pk: int, task: TaskName) -> bool:
    """Send a row's id to the workers; False where the broker is down and the sweep has to do it."""
    if not send(task, pk):
        return False
    queued = model._default_manager.filter(pk=pk, status=LeasedWork.Status.QUEUED)
    queued.update(lease_until=timezone.now() + SEND_AGAIN)
    return True


def sweep(model: type[LeasedWork], task: TaskName, ready: Q | None = None) -> list[int]:
    """Send again what nobody delivered or whose worker died, if it is `ready`; return the ids sent."""
    leases.free_expired(model)
    now = timezone.now()
    waiting = model._default_manager.filter(
        Q(lease_until__isnull=True, created_at__lt=now - YOUNG) | Q(lease_until__lt=now),
        ready or Q(),
        status=LeasedWork.Status.QUEUED,
    )
    ids = waiting.order_by("pk").values_list("pk", flat=True)
    # An unreachable broker costs seconds per attempt: the first failure ends the round.
    return list(takewhile(lambda pk: wake(model, pk, task), ids))
