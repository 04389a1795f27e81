"""Detect whether a worker is running, by a file that workers touch, without asking the broker.

Web and workers share the folder VAR_DIR. A worker touches the file when it starts and with every message,
thus with every sweep; so do long-running jobs. If it is older than SILENT_AFTER, no worker or no beat is
running.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

SILENT_AFTER = timedelta(seconds=45)

log = logging.getLogger(__name__)


def sign_of_life() -> None:
    """Record that a worker is alive; a full or read-only disk is only logged."""
    try:
        _file().touch()
    except OSError:
        log.warning("The worker could not record that it is alive.", exc_info=True)


def worker_seen() -> datetime | None:
    """Return when a worker was last known to be alive."""
    try:
        return datetime.fromtimestamp(_file().stat().st_mtime, UTC)
    except OSError:
        return None


def worker_silent() -> bool:
    """Return whether no worker seems to be running."""
    seen = worker_seen()
    return seen is None or timezone.now() - seen > SILENT_AFTER


def _file() -> Path:
    return Path(settings.VAR_DIR, "worker-seen")
