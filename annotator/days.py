"""Days as people choose them, in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, time


def midnight(day: date) -> datetime:
    """Return the moment at which a day begins, in UTC."""
    return datetime.combine(day, time.min, tzinfo=UTC)
