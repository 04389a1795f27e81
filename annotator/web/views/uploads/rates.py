"""Limit the upload requests of one account per minute.

Each web process counts in memory, so the limit protects one process and is not shared between them.
"""

from __future__ import annotations

import time
from collections import Counter
from threading import Lock
from typing import Final

SECONDS: Final = 60


class Rate:
    """Counts of all accounts in windows of one minute. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._window = -1
        self._counts: Counter[int] = Counter()

    def seconds_to_wait(self, person: int, most: int) -> int:
        """Count a request and return the seconds to wait, 0 if it is within the limit."""
        now = time.monotonic()
        with self._lock:
            if int(now // SECONDS) != self._window:
                self._window = int(now // SECONDS)
                self._counts.clear()
            self._counts[person] += 1
            taken = self._counts[person] <= most
        return 0 if taken else max(1, SECONDS - int(now % SECONDS))
