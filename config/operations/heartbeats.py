"""Workers' heartbeats: a file for each in VAR_DIR, touched by the worker every few seconds."""

from __future__ import annotations

import logging
import re
import time
from pathlib import Path
from typing import Final

from django.conf import settings

FORGOTTEN_SECONDS: Final = 24 * 60 * 60.0
_EVERY_SECONDS: Final = 5.0
_last = {"left": 0.0}

log = logging.getLogger(__name__)


def leave(worker: str) -> None:
    """Record that a worker is alive; a full or read-only disk is only logged."""
    if time.monotonic() - _last["left"] < _EVERY_SECONDS:
        return
    _last["left"] = time.monotonic()
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        Path(_folder(), re.sub(r"[^\w.@-]", "_", worker)).touch()
    except OSError as error:
        log.warning("The heartbeat could not be written (%s).", error.strerror)


def heard() -> dict[str, float]:
    """Return worker → seconds since its heartbeat, for the last day."""
    now = time.time()
    files = _folder().iterdir() if _folder().is_dir() else ()
    ages = {file.name: max(0.0, now - file.stat().st_mtime) for file in files}
    return {name: age for name, age in sorted(ages.items()) if age < FORGOTTEN_SECONDS}


def _folder() -> Path:
    return Path(settings.VAR_DIR, "workers")
