"""Ranges of days, in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta


def midnight(day: date) -> datetime:
    """Return the moment at which a day begins, in UTC."""
    return datetime.combine(day, time.min, tzinfo=UTC)


def lookups(field: str, since: date | None, until: date | None) -> dict[str, datetime]:
    """Return the lookups that limit a field to days in UTC, both inclusive; None sets no limit.

    No later moment than 31 December 9999 can be stored, so that day sets no limit.
    """
    conditions = {}
    if since is not None:
        conditions[f"{field}__gte"] = midnight(since)
    if until is not None and until < date.max:
        conditions[f"{field}__lt"] = midnight(until + timedelta(days=1))
    return conditions
