"""Changes of a project's annotations since a moment, counted from Events.

The cost depends on the number of changes, not on the size of the project: Events are found by project and
time, and every submission, import and reopening records one.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet
from django.utils.dateparse import parse_datetime

from annotator.annotations.adjudication import VERBS as ADJUDICATING
from annotator.batches.plan_verification import IMAGE_DELETED
from annotator.models import Annotation, Event, Project
from annotator.models.counting import is_work
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.records.image_deletion import IMAGE_TAKEN_BACK

BRINGS_AN_ANSWER = ("submitted", "imported")


@dataclass(frozen=True)
class Changes:
    """Numbers of `new`, resubmitted (`changed`) and `reopened` annotations, and more.

    `deleted` annotations went with their image; those restored with one are new. `settled` are images whose
    adjudicated value has changed.
    """

    new: int = 0
    changed: int = 0
    reopened: int = 0
    deleted: int = 0
    settled: int = 0

    def __add__(self, other: Changes) -> Changes:
        """Return the sum of both changes."""
        return Changes(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.reopened or self.deleted or self.settled)


def changes_since(
    project: Project | int,
    moment: datetime,
    *,
    settled: bool = False,
    protocol: str = DEFAULT_PROTOCOL,
) -> Changes:
    """Return how the annotations that count differ from those at the moment; four queries.

    With `settled`, one more query counts images whose adjudicated value has changed.
    """
    events = Event.objects.filter(
        is_work("assignment__"), project=project, created_at__gt=moment, assignment__batch__protocol=protocol
    )
    were_there = _left_since(events, moment)
    brought = events.filter(verb__in=BRINGS_AN_ANSWER).values("assignment")
    submitted = Annotation.objects.filter(status=Annotation.Status.SUBMITTED, assignment__image__goes_at=None)
    now_there = submitted.filter(assignment__in=brought, submitted_at__gt=moment).count()
    changed = again = 0
    if were_there:
        # What a lead corrected stays submitted at the same time.
        counted = submitted.filter(assignment__in=were_there).aggregate(
            changed=Count("pk"), again=Count("pk", filter=Q(submitted_at__gt=moment))
        )
        changed, again = counted["changed"], counted["again"]
    gone = _gone_with_images(project, moment, protocol)
    return Changes(
        new=now_there - again + max(0, -gone),
        changed=changed,
        reopened=len(were_there) - changed,
        deleted=max(0, gone),
        settled=_settled_since(project, moment, protocol) if settled else 0,
    )


def _settled_since(project: Project | int, moment: datetime, protocol: str) -> int:
    acts = Event.objects.filter(project=project, created_at__gt=moment, verb__in=ADJUDICATING)
    # Older Events do not name the protocol of an adjudication.
    acts = acts.exclude(Q(data__has_key="protocol") & ~Q(data__protocol=protocol))
    return acts.order_by().values("data__image").distinct().count()


def _gone_with_images(project: Project | int, moment: datetime, protocol: str) -> int:
    """Return how many annotations under a protocol went with deleted images since, minus those restored."""
    moved = Event.objects.filter(
        project=project, created_at__gt=moment, verb__in=(IMAGE_DELETED, IMAGE_TAKEN_BACK)
    )
    total = 0
    for verb, counts, submitted in moved.values_list("verb", "data__by_protocol", "data__submitted"):
        # Older Events have only the sum over protocols.
        count = submitted if counts is None else counts.get(protocol, 0)
        total += count if verb == IMAGE_DELETED else -count
    return total


def _left_since(events: QuerySet[Event], moment: datetime) -> set[int]:
    """Return the assignments whose annotation counted at the moment and was reopened after it."""
    left = events.filter(data__replaced__status=Annotation.Status.SUBMITTED)
    rows = left.values_list("assignment", "data__replaced__submitted_at")
    return {assignment for assignment, text in rows if _before(text, moment)}


def _before(text: str | None, moment: datetime) -> bool:
    submitted = parse_datetime(text) if text else None
    return submitted is not None and submitted <= moment
