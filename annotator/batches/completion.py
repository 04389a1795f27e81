"""Progress of a batch's annotators."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from annotator.batches.progress import annotators_of
from annotator.models import Annotation, Assignment, Batch, Membership
from annotator.models.counting import WorkCount, is_work, per_row
from annotator.people.codes import waits_for_its_person
from annotator.people.places import with_invitations

INACTIVE_AFTER: Final = timedelta(days=3)

_BEGUN: Final = (Annotation.Status.DRAFT, Annotation.Status.REOPENED)


def annotator_progress(batch: Batch) -> list[dict[str, Any]]:
    """Return the progress of each annotator of a batch, by code, in three queries.

    `waits`: they have no account yet. `inactive`: work is left and nothing was saved for some days after the
    release or since they joined; never of people without an account.
    """
    now, annotations = timezone.now(), _annotations(batch)
    progress = []
    for person in _counted(batch):
        counts = {status: getattr(person, f"{status}_count") for status in Assignment.Status.values}
        count = sum((WorkCount.of(*counted, batch) for counted in counts.items()), WorkCount())
        own = annotations.get(person.pk, {"drafts": 0, "flagged": 0, "last_seen": None})
        waits = waits_for_its_person(person)
        idle = inactive_days(count.open, now, own["last_seen"], max(batch.created_at, person.created_at))
        progress.append(
            {
                "annotator": person,
                "count": count,
                "withdrawn": counts["withdrawn"],
                **own,
                "waits": waits,
                "inactive": bool(idle) and not waits,
            }
        )
    return progress


def _counted(batch: Batch) -> QuerySet[Membership]:
    own = Assignment.objects.filter(is_work(), batch=batch, annotator=OuterRef("pk")).order_by()
    counts = {
        f"{status}_count": per_row(own.filter(status=status).values("annotator"), Count("*"))
        for status in Assignment.Status.values
    }
    return with_invitations(annotators_of(batch)).annotate(**counts)


def _annotations(batch: Batch) -> dict[int, dict[str, Any]]:
    """Return annotator → their drafts and flagged annotations, and when they saved the last."""
    made = Annotation.objects.filter(is_work("assignment__"), assignment__batch=batch)
    kept = made.exclude(assignment__status=Assignment.Status.WITHDRAWN).order_by()
    grouped = kept.values("assignment__annotator").annotate(
        drafts=Count("pk", filter=Q(status__in=_BEGUN, assignment__status=Assignment.Status.OPEN)),
        flagged=Count("pk", filter=Q(flagged=True)),
        last_seen=Max("saved_at"),
    )
    return {
        row["assignment__annotator"]: {name: row[name] for name in ("drafts", "flagged", "last_seen")}
        for row in grouped
    }


def inactive_days(left: int, now: datetime, *moments: datetime | None) -> int:
    """Return the days since the last of the `moments`: when something was saved, or work was assigned.

    0 if no image is left, or before INACTIVE_AFTER.
    """
    last = max(filter(None, moments), default=None)
    if not left or last is None or now - last < INACTIVE_AFTER:
        return 0
    return (now - last).days
