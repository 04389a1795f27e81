"""The time of the last backup, for the health page."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings


@dataclass(frozen=True)
class Made:
    """One backup: when it finished (seconds since 1970) and its size in bytes."""

    finished: float
    size: int


def last() -> Made | None:
    """Return the newest finished backup; None if none is known."""
    try:
        kept = json.loads(_file().read_text(encoding="ascii"))
        return Made(float(kept["finished"]), int(kept["size"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(size: int) -> None:
    """Record that a backup of this size has just finished."""
    partial = _file().with_suffix(".tmp")
    partial.parent.mkdir(parents=True, exist_ok=True)
    partial.write_text(json.dumps({"finished": time.time(), "size": size}), encoding="ascii")
    os.replace(partial, _file())


def _file() -> Path:
    return Path(settings.VAR_DIR, "last-backup.json")
