"""Whether any worker is alive: a file that workers touch, so that a page asks no broker.

Web and workers share the folder VAR_DIR. The sweep, which beat sends and a worker carries out, touches the
file; so does whoever is busy for long. What stays silent for SILENT_AFTER is not running, or runs no beat.
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
    """Say that a worker is alive; a disk that is full or read-only is only logged."""
    try:
        _file().touch()
    except OSError:
        log.warning("The worker could not leave a sign of life.", exc_info=True)


def worker_seen() -> datetime | None:
    """Return when a worker was last alive, as far as anybody knows."""
    try:
        return datetime.fromtimestamp(_file().stat().st_mtime, UTC)
    except OSError:
        return None


def worker_silent() -> bool:
    """Whether nothing was heard of a worker for so long that none seems to be running."""
    seen = worker_seen()
    return seen is None or timezone.now() - seen > SILENT_AFTER


def _file() -> Path:
    return Path(settings.VAR_DIR, "worker-seen")
