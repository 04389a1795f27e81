"""What a process that reads somebody's bytes may know and take."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
"""Where such a process runs: the packages are found there."""


def clean_environment() -> dict[str, str]:
    """The environment without the database's password or anything else that is not a reader's business."""
    return {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}


def limit_memory(most: int) -> None:
    """Limit this process to so many bytes of memory; it leaves no core behind when it ends."""
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_processor(seconds: int) -> None:
    """End this process by SIGXCPU once it has taken so many seconds of processor; waiting does not count."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
