"""The progress of batches and their annotators, and a matrix of both, one page of images at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from annotator.models import Annotation, Assignment, Batch, Image, Membership
from annotator.models.counting import WorkCount, is_work, per_row, work_counts
from annotator.people.codes import waits_for_its_person
from annotator.people.places import with_invitations

STATES: Final[Mapping[str, str]] = {
    "waiting": "Not started",
    "draft": "Draft",
    "submitted": "Submitted",
    "flagged": "Flagged",
    "skipped": "Skipped",
    "withdrawn": "Withdrawn",
}
"""States of a cell, in the order of the legend; `flagged` is added to a draft or a submission."""

INACTIVE_AFTER: Final = timedelta(days=3)

_BEGUN: Final = (Annotation.Status.DRAFT, Annotation.Status.REOPENED)
_IN_STATE: Final[Mapping[str, Q]] = {
    "waiting": Q(status=Assignment.Status.OPEN, annotation__isnull=True),
    "draft": Q(status=Assignment.Status.OPEN, annotation__status__in=_BEGUN),
    "submitted": Q(status=Assignment.Status.DONE),
    "flagged": Q(annotation__flagged=True) & ~Q(status=Assignment.Status.WITHDRAWN),
    "skipped": Q(status=Assignment.Status.SKIPPED),
    "withdrawn": Q(status=Assignment.Status.WITHDRAWN),
}


def annotators_of(batch: Batch) -> QuerySet[Membership]:
    """Return the annotators who have, or had, an assignment in a batch, by code."""
    own = Assignment.objects.filter(is_work(), batch=batch, annotator=OuterRef("pk"))
    return Membership.objects.filter(Exists(own), project=batch.project_id).order_by("code")


def images_of(batch: Batch, state: str = "") -> QuerySet[Image, int]:
    """Return the primary keys of a batch's images, by generator, prompt and number.

    With a state, only images of which an assignment is in this state.
    """
    fitting = Assignment.objects.filter(_IN_STATE.get(state, Q()), is_work(), batch=batch).order_by()
    images = Image.objects.filter(project=batch.project_id, pk__in=fitting.values("image"))
    return images.order_by("generator", "prompt", "number", "pk").values_list("pk", flat=True)


def matrix_rows(
    batch: Batch, image_ids: Sequence[int], annotators: Sequence[Membership]
) -> list[dict[str, Any]]:
    """Return the rows of one page, in two queries.

    Each has an `image`, a cell per annotator (None if not assigned), and how many of `owed` are `submitted`.
    The `annotation` of a cell is a primary key or None.
    """
    columns = ("image", "annotator", "status", "annotation", "annotation__flagged")
    held = Assignment.objects.filter(is_work(), batch=batch, image__in=image_ids).order_by()
    cells = {(image, annotator): _cell(*of_cell) for image, annotator, *of_cell in held.values_list(*columns)}
    images = Image.objects.in_bulk(image_ids)
    rows = []
    for pk in image_ids:
        row = [cells.get((pk, annotator.pk)) for annotator in annotators]
        owed = [cell["state"] for cell in row if cell and cell["state"] != "withdrawn"]
        counts = {"submitted": owed.count("submitted"), "owed": len(owed)}
        rows.append({"image": images[pk], "cells": row, **counts})
    return rows


def _cell(status: str, annotation: int | None, flagged: bool | None) -> dict[str, Any]:
    states = {
        Assignment.Status.DONE: "submitted",
        Assignment.Status.OPEN: "draft" if annotation else "waiting",
    }
    state = states.get(Assignment.Status(status), status)
    title = STATES[state] + (", flagged" if flagged else "")
    return {"state": state, "flagged": bool(flagged), "annotation": annotation, "title": title}


def counts_of(batches: Sequence[Batch]) -> dict[int, dict[str, Any]]:
    """Return for the batches of one page their `images`, `people` with assignments, and `work`.

    Withdrawn assignments are no work. Three queries.
    """
    rows = Assignment.objects.filter(is_work(), batch__in=batches).order_by()
    images = dict(rows.values_list("batch").annotate(count=Count("image", distinct=True)))
    work: dict[int, WorkCount] = defaultdict(WorkCount)
    people: dict[int, set[int]] = defaultdict(set)
    for annotator, batch, count in work_counts(rows.exclude(status=Assignment.Status.WITHDRAWN)):
        work[batch.pk] += count
        people[batch.pk].add(annotator)
    return {
        batch.pk: {
            "images": images.get(batch.pk, 0),
            "people": len(people[batch.pk]),
            "work": work[batch.pk],
        }
        for batch in batches
    }


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
