"""Requests a minute of one person, where each brings bytes and a row for each would cost more than it does.

Each web process counts by itself: the limit is what one of them stands, not what a person is owed.
"""

from __future__ import annotations

import time
from collections import Counter
from threading import Lock
from typing import Final

SECONDS: Final = 60


class Rate:
    """Counts in windows of a minute, everybody's at once. Safe to use by several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._window = -1
        self._counts: Counter[int] = Counter()

    def seconds_to_wait(self, person: int, most: int) -> int:
        """Count a request; how long until the next one is taken, 0 for at once."""
        now = time.monotonic()
        with self._lock:
            if int(now // SECONDS) != self._window:
                self._window = int(now // SECONDS)
                self._counts.clear()
            self._counts[person] += 1
            taken = self._counts[person] <= most
        return 0 if taken else max(1, SECONDS - int(now % SECONDS))
