"""Soft deletion of an image by a lead, which any lead can undo until the image is purged.

Deletion withdraws the assignments and closes gaps in queues, as when an image is reassigned; stored
annotations stay with the assignments but are not counted. Undoing the deletion restores annotations and queue
positions.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from annotator.batches.closing import checked_reason
from annotator.batches.people_changes import people_of_batch
from annotator.batches.reassigning import close_up, make_room
from annotator.batches.stored_plans import IMAGE_DELETED
from annotator.database.transactions import write_transaction
from annotator.models import Annotation, Assignment, Batch, Event, Image, Membership, Project, Reference, User
from annotator.models.counting import is_work
from annotator.records.project_deletion import DeletionRefused, end_of_grace, hold_batches
from annotator.signals import answers_moved
from scoring.service import get_protocol

IMAGE_TAKEN_BACK: Final = "image_taken_back"
IMAGE_REMOVED: Final = "image_removed"


@dataclass(frozen=True)
class GoesWith:
    """What is deleted with an image: submitted annotations, drafts, number of annotators, batches."""

    submitted: int
    drafts: int
    people: int
    batches: tuple[str, ...]


def goes_with(image: Image) -> GoesWith:
    """Count what disappears from exports, reports and queues with an image."""
    held = Assignment.objects.filter(image=image)
    submitted = Q(annotation__status=Annotation.Status.SUBMITTED)
    counts = held.aggregate(
        submitted=Count("pk", filter=submitted),
        drafts=Count("pk", filter=Q(annotation__isnull=False) & ~submitted),
        people=Count("annotator", filter=Q(position__isnull=False), distinct=True),
    )
    names = Batch.objects.filter(assignments__in=held).distinct().order_by("pk")
    return GoesWith(**counts, batches=tuple(names.values_list("name", flat=True)))


def restorable_images(project: Project) -> QuerySet[Image]:
    """Return the soft-deleted images of a project, the next to be purged first."""
    return Image.everything.filter(project=project, goes_at__isnull=False).order_by("goes_at", "pk")


def delete_image(*, image: Image, reason: str, actor: User | None) -> Image:
    """Soft-delete an image and return it. Idempotent.

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
        goes_at = end_of_grace()
        if Image.everything.filter(pk=image.pk, goes_at=None).update(goes_at=goes_at):
            told = goes_with(image)
            _record(
                image,
                IMAGE_DELETED,
                actor,
                reason=why,
                goes_at=goes_at.isoformat(),
                submitted=told.submitted,
                by_protocol=_by_protocol(held),
                drafts=told.drafts,
                assignments=_withdraw(held),
            )
            if told.submitted:
                _tell(image, held)
    return _as_stored(image)


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


def _tell(image: Image, held: QuerySet[Assignment]) -> None:
    """Signal that submitted annotations of an image were removed or restored."""
    protocols = frozenset(held.order_by().values_list("batch__protocol", flat=True).distinct())
    answers_moved.send(sender=Annotation, project_id=image.project_id, protocols=protocols)


def take_back_image(*, image: Image, actor: User | None) -> tuple[Image, int]:
    """Undo the deletion of an image; return it, and the number of assignments that stay withdrawn.

    Open assignments of annotators who left the batch stay withdrawn; the next change of the batch's
    annotators reassigns them. Raises DeletionRefused once the grace period is over.
    """
    left = 0
    with write_transaction():
        Project.locked(image.project_id)
        held = Assignment.objects.filter(image=image)
        hold_batches(Batch.objects.filter(pk__in=held.values("batch")))
        waiting = Image.everything.filter(pk=image.pk, goes_at__gt=timezone.now())
        if waiting.update(goes_at=None):
            asked = _asked_for(image)
            by_protocol = _by_protocol(held)
            submitted = sum(by_protocol.values())
            left = _give_back(image, asked)
            counts = {"submitted": submitted, "by_protocol": by_protocol, "left": left}
            _record(image, IMAGE_TAKEN_BACK, actor, **counts)
            if submitted:
                _tell(image, held)
        elif Image.everything.filter(pk=image.pk, goes_at__isnull=False).exists():
            raise DeletionRefused(
                "The deletion can no longer be undone: the data is being purged.", "too-late"
            )
    return _as_stored(image), left


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
    """Withdraw assignments with a position and return [assignment, status, position] to restore them."""
    rows = list(held.filter(position__isnull=False).select_related("batch").order_by("pk"))
    held.filter(position__isnull=False).update(status=Assignment.Status.WITHDRAWN, position=None)
    places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    batches = {row.batch_id: row.batch for row in rows}
    for row in rows:
        places[row.batch_id, row.annotator_id].append(row.position or 0)
    for (batch, annotator), free in places.items():
        close_up(batches[batch], annotator, sorted(free))
    return [[row.pk, row.status, row.position] for row in rows]


def _asked_for(image: Image) -> list[list[Any]]:
    asked = Event.objects.filter(
        project=image.project_id, verb=IMAGE_DELETED, data__image=str(image.public_id)
    )
    data: dict[str, Any] = asked.order_by("-pk").values_list("data", flat=True).first() or {}
    return list(data.get("assignments", []))


def _give_back(image: Image, asked: list[list[Any]]) -> int:
    """Restore the assignments that the deletion withdrew, except those reassigned in the meantime."""
    rows = Assignment.objects.filter(image=image, status=Assignment.Status.WITHDRAWN)
    found = rows.select_related("batch__project", "annotator").in_bulk([pk for pk, _, _ in asked])
    left = 0
    for pk, status, position in asked:
        row = found.get(pk)
        if row is None:
            continue
        if status == Assignment.Status.OPEN and not _goes_on(row):
            left += 1
            continue
        place = make_room(row.batch, row.annotator_id, position)
        Assignment.objects.filter(pk=pk).update(status=status, position=place)
    return left


def _goes_on(row: Assignment) -> bool:
    if not row.annotator.is_active:
        return False
    planned: list[Membership] = people_of_batch(row.batch) if row.batch.plans.exists() else [row.annotator]
    return row.annotator in planned


def _record(image: Image, verb: str, actor: User | None, **data: Any) -> None:
    data = {**facts_of(image), **data}
    Event.objects.create(project_id=image.project_id, actor=actor, verb=verb, data=data)


def _as_stored(image: Image) -> Image:
    return Image.everything.select_related("project").get(pk=image.pk)
