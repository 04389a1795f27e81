"""A chain of digests over all Events, which reveals tampering.

Database access also allows changing the chain; therefore `manage.py verify_events` prints the newest digest,
to be kept elsewhere, for example with a backup. A recorded digest proves all Events before it.

Events are sealed after they are written: a chain within each write would serialise all annotators.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError
from django.db.models import Max, Min
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import Event, Seal

PER_SEAL: Final = 1_000
FIELDS: Final = (
    "pk",
    "project_id",
    "assignment_id",
    "actor_id",
    "verb",
    "data",
    "request_key",
    "created_at",
)


@dataclass(frozen=True)
class Chain:
    """The result of a check of the chain: `broken` has the problem of each invalid seal."""

    sealed: int
    seals: int
    open: int
    head: str
    broken: tuple[str, ...]


def seal_events(now: datetime | None = None) -> int:
    """Seal the events that are complete; return how many were sealed.

    Ids are assigned before a transaction ends. An event is old enough once no task with an earlier id can
    still be running.
    """
    sealed = 0
    while made := _seal_next(_settled_until(now or timezone.now())):
        sealed += made.count
    return sealed


def check_chain() -> Chain:
    """Recompute and compare every seal. Reads all events once, in chunks of `PER_SEAL`."""
    broken: list[str] = []
    previous, after, count, seals = "", 0, 0, 0
    for seal in Seal.objects.order_by("pk").iterator(chunk_size=500):
        events = list(_events(after=after, until=seal.last_event))
        if (problem := _problem(seal, previous, events)) is not None:
            broken.append(problem)
        previous, after = seal.digest, seal.last_event
        count, seals = count + seal.count, seals + 1
    left = Event.objects.filter(pk__gt=after).count()
    return Chain(sealed=count, seals=seals, open=left, head=previous, broken=tuple(broken))


def digest_of(previous: str, events: list[tuple[Any, ...]]) -> str:
    """Return the SHA-256, in hexadecimal, of a digest and of events as ordered rows of `FIELDS`."""
    digest = sha256(previous.encode())
    for event in events:
        digest.update(b"\n" + json.dumps([_plain(value) for value in event], sort_keys=True).encode())
    return digest.hexdigest()


def _seal_next(until: int) -> Seal | None:
    last = Seal.objects.order_by("-pk").first()
    after = last.last_event if last else 0
    events = list(_events(after=after, until=until, most=PER_SEAL))
    if not events:
        return None
    try:
        with write_transaction():
            return Seal.objects.create(
                first_event=after + 1,
                last_event=events[-1][0],
                count=len(events),
                digest=digest_of(last.digest if last else "", events),
            )
    except IntegrityError:  # another worker sealed the same chunk
        return None


def _settled_until(now: datetime) -> int:
    """Return the id of the last event old enough to be sealed, 0 if there is none."""
    settled = now - timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT) - timedelta(minutes=10)
    # Query this before the young events: neither query sees rows written in between.
    last: int = Event.objects.aggregate(last=Max("pk"))["last"] or 0
    young = Event.objects.filter(created_at__gte=settled)
    first: int | None = young.aggregate(first=Min("pk"))["first"]
    return last if first is None else min(last, first - 1)


def _events(*, after: int, until: int | None, most: int | None = None) -> Iterator[tuple[Any, ...]]:
    found = Event.objects.filter(pk__gt=after).order_by("pk")
    if until is not None:
        found = found.filter(pk__lte=until)
    yield from found.values_list(*FIELDS)[:most].iterator(chunk_size=PER_SEAL)


def _problem(seal: Seal, previous: str, events: list[tuple[Any, ...]]) -> str | None:
    where = (
        f"Seal {seal.pk} of {seal.made_at:%Y-%m-%d %H:%M} UTC, events {seal.first_event} to {seal.last_event}"
    )
    if len(events) != seal.count:
        return f"{where}: {seal.count} were sealed, {len(events)} exist."
    if digest_of(previous, events) != seal.digest:
        return f"{where}: at least one event, or the previous seal, was changed."
    return None


def _plain(value: Any) -> Any:
    """Return a value as both databases return it: times in UTC, keys as text."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value if value is None or isinstance(value, int | float | str | dict | list) else str(value)
