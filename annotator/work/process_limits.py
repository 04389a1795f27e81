"""Environment and resource limits of processes that read untrusted files."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
"""Working directory of such a process, where the packages are found."""


def clean_environment() -> dict[str, str]:
    """Return the environment without secrets such as the database password."""
    return {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}


def limit_memory(most: int) -> None:
    """Limit the memory of this process in bytes, and disable core dumps."""
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_processor(seconds: int) -> None:
    """End this process by SIGXCPU after this many seconds of processor time; waiting does not count."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
