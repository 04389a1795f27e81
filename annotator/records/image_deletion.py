"""Deletion of an image by a lead, for good.

Deletion withdraws the assignments and closes gaps in queues, as when an image is reassigned. Image and
annotations are not counted from then on, and the next sweep purges them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from annotator.batches.reassigning import close_up
from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import checked_reason
from annotator.models import Annotation, Assignment, Batch, Event, Image, Project, Reference, User
from annotator.models.counting import is_work
from annotator.records.project_deletion import DeletionRefused, hold_batches
from annotator.signals import answers_moved
from scoring.service import get_protocol

IMAGE_DELETED: Final = "image_deleted"
IMAGE_REMOVED: Final = "image_removed"


def goes_with(image: Image) -> dict[str, Any]:
    """Return what disappears from exports, reports and queues with an image.

    Submitted annotations, drafts, the number of people, and the names of batches.
    """
    held = Assignment.objects.filter(image=image)
    submitted = Q(annotation__status=Annotation.Status.SUBMITTED)
    counts = held.aggregate(
        submitted=Count("pk", filter=submitted),
        drafts=Count("pk", filter=Q(annotation__isnull=False) & ~submitted),
        people=Count("annotator", filter=Q(position__isnull=False), distinct=True),
    )
    names = Batch.objects.filter(assignments__in=held).distinct().order_by("pk")
    return {**counts, "batches": list(names.values_list("name", flat=True))}


def delete_image(*, image: Image, reason: str, actor: User | None) -> Image:
    """Delete an image and return its row, which the next sweep purges. Idempotent.

    Concurrent changes of its annotations are stored before, or refused and kept in an Event. Raises
    InvalidReason, and DeletionRefused while a batch is being prepared, which may assign the image, or while
    annotations are compared with it.
    """
    why = checked_reason(reason)
    with write_transaction():
        Project.locked(image.project_id)
        if Batch.objects.filter(project=image.project_id, status=Batch.Status.PREPARING).exists():
            raise DeletionRefused(
                "A batch is being prepared. Wait until it is released, then delete the image."
            )
        _refuse_reference(image)
        held = Assignment.objects.filter(image=image)
        hold_batches(Batch.objects.filter(pk__in=held.values("batch")))
        if Image.everything.filter(pk=image.pk, goes_at=None).update(goes_at=timezone.now()):
            told = goes_with(image)
            data = {
                **facts_of(image),
                "reason": why,
                "submitted": told["submitted"],
                "by_protocol": _by_protocol(held),
                "drafts": told["drafts"],
                "assignments": _withdraw(held),
            }
            Event.objects.create(project_id=image.project_id, actor=actor, verb=IMAGE_DELETED, data=data)
            if told["submitted"]:
                protocols = frozenset(held.order_by().values_list("batch__protocol", flat=True).distinct())
                answers_moved.send(sender=Annotation, project_id=image.project_id, protocols=protocols)
    return Image.everything.select_related("project").get(pk=image.pk)


def _refuse_reference(image: Image) -> None:
    """Raise DeletionRefused for an image with a reference in use; the caller holds the project."""
    used = Reference.objects.filter(image=image, status=Reference.Status.ACTIVE).order_by("protocol")
    titles = ", ".join(get_protocol(slug).title for slug in used.values_list("protocol", flat=True))
    if titles:
        raise DeletionRefused(
            f"Annotations are compared with this image’s reference ({titles}), in training for "
            "example. Retire the reference, then delete the image.",
            "referenced",
        )


def _by_protocol(held: QuerySet[Assignment]) -> dict[str, int]:
    """Count the submitted annotations of these assignments by protocol."""
    submitted = held.filter(is_work(), annotation__status=Annotation.Status.SUBMITTED).order_by()
    counted = submitted.values_list("batch__protocol").annotate(count=Count("pk"))
    return dict(counted)


def facts_of(image: Image) -> dict[str, Any]:
    """Return facts that identify an image in an Event after the image is purged."""
    return {
        "image": str(image.public_id),
        "sha256": image.sha256,
        "file": image.source_name,
        "generator": image.generator,
        "prompt": image.prompt,
        "number": image.number,
    }


def _withdraw(held: QuerySet[Assignment]) -> list[list[Any]]:
    """Withdraw assignments with a position and return [assignment, status, position] for the history."""
    rows = list(held.filter(position__isnull=False).select_related("batch").order_by("pk"))
    held.filter(position__isnull=False).update(status=Assignment.Status.WITHDRAWN, position=None)
    places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    batches = {row.batch_id: row.batch for row in rows}
    for row in rows:
        places[row.batch_id, row.annotator_id].append(row.position or 0)
    for (batch, annotator), free in places.items():
        close_up(batches[batch], annotator, sorted(free))
    return [[row.pk, row.status, row.position] for row in rows]
