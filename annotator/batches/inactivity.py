"""When an annotator with work left counts as inactive."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

INACTIVE_AFTER: Final = timedelta(days=3)


def inactive_days(left: int, now: datetime, *moments: datetime | None) -> int:
    """Return the days since the last of the `moments`: when something was saved, or work was assigned.

    0 if no image is left, or before INACTIVE_AFTER.
    """
    last = max(filter(None, moments), default=None)
    if not left or last is None or now - last < INACTIVE_AFTER:
        return 0
    return (now - last).days
