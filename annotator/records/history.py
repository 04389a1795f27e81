"""The history of a project, newest first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Final

from annotator.inputs.days import lookups
from annotator.models import Event, Project

SHOWN: Final = 50


@dataclass(frozen=True)
class Asked:
    """Filters of events; empty ones match all.

    `verbs` are included or, with `without`, excluded. `since` and `until` are inclusive days in UTC. `before`
    is the id of the oldest event on the previous page.
    """

    verbs: Collection[str] = ()
    without: bool = False
    actor: int | None = None
    since: date | None = None
    until: date | None = None
    before: int | None = None


def events_of(project: Project, asked: Asked) -> tuple[list[Event], int | None]:
    """Return up to `SHOWN` events and the id for the next page; None if there are no older ones.

    Pages are found by id and never counted, so the cost does not grow with the history.
    """
    found = Event.objects.filter(project=project).select_related("actor", "assignment__image")
    if asked.verbs:
        found = found.exclude(verb__in=asked.verbs) if asked.without else found.filter(verb__in=asked.verbs)
    if asked.actor is not None:
        found = found.filter(actor=asked.actor)
    found = found.filter(**lookups("created_at", asked.since, asked.until))
    if asked.before is not None:
        found = found.filter(pk__lt=asked.before)
    events = list(found.order_by("-pk")[: SHOWN + 1])
    return events[:SHOWN], events[SHOWN - 1].pk if len(events) > SHOWN else None
