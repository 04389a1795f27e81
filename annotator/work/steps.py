"""Store a worker's progress, and stop it if the row was cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable

from annotator.work import leases
from annotator.work.leases import Claim

STORE_EVERY_SECONDS = 0.5


class JobCancelled(Exception):
    """The row was cancelled, or another worker has taken it over."""


class Steps:
    """Called as `steps(done, total)` between pieces of work, outside transactions.

    Stores the progress at most twice a second, renews the lease with it, and raises JobCancelled if the claim
    is lost. Functions with open files or partial rows catch it, clean up and raise it again.
    """

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._stored_at = float("-inf")

    def __call__(self, done: int, total: int) -> None:
        """Record that `done` of `total` pieces are done; raises JobCancelled."""
        now = time.monotonic()
        if now - self._stored_at < STORE_EVERY_SECONDS:
            return
        self._stored_at = now
        # 100 percent means that a result is stored.
        percent = min(99, max(0, 100 * done // total)) if total > 0 else 0
        self.store(progress=percent)

    def between(self, low: int, high: int) -> Callable[[int, int], None]:
        """Return steps of a part of the work, which fills the progress from `low` to `high` percent."""
        return lambda done, total: self(low * total + (high - low) * done, 100 * total)

    def store(self, **values: object) -> None:
        """Store values of the row now; raises JobCancelled."""
        if not leases.renew(self._claim, **values):
            raise JobCancelled(f"{self._claim} has been taken over by another worker.")
