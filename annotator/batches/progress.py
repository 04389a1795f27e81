"""The progress of batches: counts, and a matrix of images by annotators, one page of rows at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotator.models import Annotation, Assignment, Batch, Image, Membership
from annotator.models.counting import WorkCount, is_work, work_counts

STATES: Final[Mapping[str, str]] = {
    "waiting": "Not started",
    "draft": "Draft",
    "submitted": "Submitted",
    "flagged": "Flagged",
    "skipped": "Skipped",
    "withdrawn": "Withdrawn",
}
"""States of a cell, in the order of the legend; `flagged` is added to a draft or a submission."""

_BEGUN: Final = (Annotation.Status.DRAFT, Annotation.Status.REOPENED)
_IN_STATE: Final[Mapping[str, Q]] = {
    "waiting": Q(status=Assignment.Status.OPEN, annotation__isnull=True),
    "draft": Q(status=Assignment.Status.OPEN, annotation__status__in=_BEGUN),
    "submitted": Q(status=Assignment.Status.DONE),
    "flagged": Q(annotation__flagged=True) & ~Q(status=Assignment.Status.WITHDRAWN),
    "skipped": Q(status=Assignment.Status.SKIPPED),
    "withdrawn": Q(status=Assignment.Status.WITHDRAWN),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters of the list: an image matches if one of its assignments matches all of them."""

    state: str = ""
    annotator: int | None = None


def annotators_of(batch: Batch) -> QuerySet[Membership]:
    """Return the annotators who have, or had, an assignment in a batch, by code."""
    own = Assignment.objects.filter(is_work(), batch=batch, annotator=OuterRef("pk"))
    return Membership.objects.filter(Exists(own), project=batch.project_id).order_by("code")


def images_of(batch: Batch, wanted: Wanted) -> QuerySet[Image, int]:
    """Return the primary keys of a batch's matching images, by generator, prompt and number."""
    own = Assignment.objects.filter(is_work(), batch=batch)
    held = own.filter(image=OuterRef("pk"))
    images = Image.objects.filter(project=batch.project_id)
    if wanted.annotator is None and not wanted.state:
        images = images.filter(Exists(held))
    else:
        by = Q() if wanted.annotator is None else Q(annotator=wanted.annotator)
        fitting = own.filter(by, _IN_STATE.get(wanted.state, Q())).order_by()
        images = images.filter(pk__in=fitting.values("image"))
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
