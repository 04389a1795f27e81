"""Progress and rate of a batch's annotators.

Counts are read from an index. Rates and times come from a bounded sample, each annotator's last submissions
in queue order, so the cost does not grow with the batch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from statistics import median
from typing import Any, Final

from django.db.models import Count, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotator.batches.progress import annotators_of
from annotator.models import Annotation, Assignment, Batch, Membership
from annotator.models.counting import WorkCount, is_work, per_row
from annotator.people.codes import waits_for_its_person
from annotator.people.places import with_invitations

SAMPLE: Final = 100
"""Submissions per annotator in the sample."""

RECENT: Final = timedelta(days=7)
INACTIVE_AFTER: Final = timedelta(days=3)

_BEGUN: Final = (Annotation.Status.DRAFT, Annotation.Status.REOPENED)


_Recent = tuple[datetime, datetime, int | None]
"""(submitted, saved, active milliseconds) of a submission."""


def annotator_progress(batch: Batch) -> list[dict[str, Any]]:
    """Return the progress of each annotator of a batch, by code, in four queries.

    `times` are the known active milliseconds of the sample, `active_ms` their median. `just_seen`: they saved
    something within the last minute. `waits`: they have no account yet. `inactive`: work is left and nothing
    was saved for some days after the release or since they joined; never of people without an account.
    """
    now, people = timezone.now(), list(_counted(batch))
    drafts = _by_annotator(batch, Q(status__in=_BEGUN, assignment__status=Assignment.Status.OPEN))
    flags = _by_annotator(batch, Q(flagged=True))
    recent = _recent(batch, people)
    progress = []
    for person in people:
        counts = {status: getattr(person, f"{status}_count") for status in Assignment.Status.values}
        count = sum((WorkCount.of(*counted, batch) for counted in counts.items()), WorkCount())
        begun, last_begun = drafts.get(person.pk, (0, None))
        own = recent[person.pk]
        seen = max(filter(None, [last_begun, *(saved for _, saved, _ in own)]), default=None)
        times = [active_ms for _, _, active_ms in own if active_ms is not None]
        waits = waits_for_its_person(person)
        idle = inactive_days(count.open, now, seen, max(batch.created_at, person.created_at))
        progress.append(
            {
                "annotator": person,
                "count": count,
                "withdrawn": counts["withdrawn"],
                "drafts": begun,
                "flagged": flags.get(person.pk, (0, None))[0],
                "per_day": _per_day([submitted for submitted, _, _ in own], now),
                "times": times,
                "active_ms": median(times) if times else None,
                "last_seen": seen,
                "just_seen": bool(seen and now - seen < timedelta(minutes=1)),
                "waits": waits,
                "inactive": bool(idle) and not waits,
            }
        )
    return progress


def outlook(people: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Sum up the annotators."""
    times = [time for person in people for time in person["times"]]
    return {
        "count": sum((person["count"] for person in people), WorkCount()),
        "per_day": sum(person["per_day"] or 0 for person in people),
        "active_ms": median(times) if times else None,
        "timed": len(times),
    }


def _counted(batch: Batch) -> QuerySet[Membership]:
    own = Assignment.objects.filter(is_work(), batch=batch, annotator=OuterRef("pk")).order_by()

    def count(status: str) -> object:
        return per_row(own.filter(status=status).values("annotator"), Count("*"))

    done = own.filter(status=Assignment.Status.DONE).order_by("-position").values("position")[:1]
    counts = {f"{status}_count": count(status) for status in Assignment.Status.values}
    people = with_invitations(annotators_of(batch))
    return people.annotate(last_done=Subquery(done, output_field=IntegerField()), **counts)


def _by_annotator(batch: Batch, which: Q) -> dict[int, tuple[int, datetime]]:
    """Return annotator → number of matching annotations, and when the last of them was saved."""
    fitting = Annotation.objects.filter(which, is_work("assignment__"), assignment__batch=batch).order_by()
    owed = fitting.exclude(assignment__status=Assignment.Status.WITHDRAWN)
    grouped = owed.values("assignment__annotator").annotate(count=Count("pk"), last=Max("saved_at"))
    return {row["assignment__annotator"]: (row["count"], row["last"]) for row in grouped}


def _recent(batch: Batch, people: Sequence[Membership]) -> Mapping[int, list[_Recent]]:
    """Return annotator → their last submissions in reverse queue order."""
    found: dict[int, list[_Recent]] = defaultdict(list)
    ends = [
        Q(annotator=each.pk, position__gt=each.last_done - SAMPLE)  # type: ignore[attr-defined]
        for each in people
        if each.last_done is not None  # type: ignore[attr-defined]
    ]
    if not ends:
        return found
    done = Assignment.objects.filter(reduce(or_, ends), is_work(), batch=batch, status=Assignment.Status.DONE)
    # Annotations as imported have no rate.
    made = done.filter(annotation__submitted_at__isnull=False).exclude(
        annotation__version=1, annotation__source__isnull=False
    )
    columns = ("annotation__submitted_at", "annotation__saved_at", "annotation__active_ms")
    for annotator, *moments in made.order_by().values_list("annotator", *columns):
        found[annotator].append(tuple(moments))
    return found


def _per_day(moments: Sequence[datetime], now: datetime) -> float | None:
    """Return submissions per day over the recent days, or since the sample's first if later."""
    lately = [moment for moment in moments if now - moment <= RECENT]
    if not lately:
        return None
    # The whole sample is recent: the annotator started lately, or submits more than the sample holds.
    young = len(lately) == len(moments)
    days = (now - min(lately)) / timedelta(days=1) if young else RECENT / timedelta(days=1)
    return len(lately) / max(days, 1)


def inactive_days(left: int, now: datetime, *moments: datetime | None) -> int:
    """Return the days since the last of the `moments`: when something was saved, or work was assigned.

    0 if no image is left, or before INACTIVE_AFTER.
    """
    last = max(filter(None, moments), default=None)
    if not left or last is None or now - last < INACTIVE_AFTER:
        return 0
    return (now - last).days
