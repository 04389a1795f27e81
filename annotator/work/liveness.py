"""Detect whether a worker is running, by a row that workers renew, without asking the broker.

A worker renews the row with every message, thus with every sweep; so do long-running jobs. If it is older
than SILENT_AFTER by the database's clock, no worker or no beat is running.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from django.db import DatabaseError
from django.db.models.functions import Now

from annotator.database.transactions import write_transaction
from annotator.models import WorkerSeen

SILENT_AFTER: Final = timedelta(seconds=45)
_RENEWED_AFTER: Final = timedelta(seconds=3)
"""Messages may be many a second; the row says no more than that a worker runs."""
_ONLY: Final = 1

log = logging.getLogger(__name__)


def sign_of_life() -> None:
    """Record that a worker is alive; a database that takes nothing is only logged."""
    try:
        if not _seen_within(_RENEWED_AFTER):
            with write_transaction():
                WorkerSeen.objects.update_or_create(pk=_ONLY, defaults={"at": Now()})
    except DatabaseError:
        log.warning("The worker could not record that it is alive.", exc_info=True)


def worker_seen() -> datetime | None:
    """Return when a worker was last known to be alive."""
    return WorkerSeen.objects.values_list("at", flat=True).first()


def worker_silent() -> bool:
    """Return whether no worker seems to be running."""
    return not _seen_within(SILENT_AFTER)


def _seen_within(time: timedelta) -> bool:
    return WorkerSeen.objects.filter(at__gt=Now() - time).exists()
