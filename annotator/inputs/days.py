"""Days as people choose them, in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta


def midnight(day: date) -> datetime:
    """Return the moment at which a day begins, in UTC."""
    return datetime.combine(day, time.min, tzinfo=UTC)


def lookups(field: str, since: date | None, until: date | None) -> dict[str, datetime]:
    """Return the lookups that keep a field within days in UTC, both included; None sets no limit.

    No moment that can be stored lies after 31 December 9999, so that day limits nothing.
    """
    found = {}
    if since is not None:
        found[f"{field}__gte"] = midnight(since)
    if until is not None and until < date.max:
        found[f"{field}__lt"] = midnight(until + timedelta(days=1))
    return found
