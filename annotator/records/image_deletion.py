"""Deletion of an image by a lead, at once and for good.

Its files, assignments and annotations go with it, and gaps in queues are closed, as when an image is
reassigned. Events stay, with every version that was submitted.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from django.db.models import Count, Q, QuerySet

from annotator.batches.reassigning import close_up
from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import checked_reason
from annotator.models import Annotation, Assignment, Batch, Event, Image, Project, Reference, Upload, User
from annotator.models.counting import is_work
from annotator.records.project_deletion import DeletionRefused, hold_batches
from annotator.records.purge import remove_files
from scoring.service import get_protocol

IMAGE_DELETED: Final = "image_deleted"


def goes_with(image: Image) -> dict[str, Any]:
    """Return what goes with an image.

    Submitted annotations, drafts, the `annotations` in all, the number of people, and the names of batches.
    """
    held = Assignment.objects.filter(image=image)
    submitted = Q(annotation__status=Annotation.Status.SUBMITTED)
    counts = held.aggregate(
        submitted=Count("pk", filter=submitted),
        drafts=Count("pk", filter=Q(annotation__isnull=False) & ~submitted),
        people=Count("annotator", filter=Q(position__isnull=False), distinct=True),
    )
    names = Batch.objects.filter(assignments__in=held).distinct().order_by("pk")
    annotations = counts["submitted"] + counts["drafts"]
    return {**counts, "annotations": annotations, "batches": list(names.values_list("name", flat=True))}


def delete_image(*, image: Image, typed: str, reason: str, actor: User | None) -> None:
    """Delete an image with its annotations. Idempotent.

    `typed` is the number of annotations that the lead has seen and typed: none is deleted unseen. Concurrent
    changes of its annotations are stored before, or refused and kept in an Event. Raises InvalidReason, and
    DeletionRefused for another number, while the same image may be being stored, while annotations are
    compared with it, and if a file stays.
    """
    why = checked_reason(reason)
    with write_transaction():
        Project.locked(image.project_id)
        _refuse_now(image)
        held = Assignment.objects.filter(image=image)
        hold_batches(Batch.objects.filter(pk__in=held.values("batch")))
        # What would refer to them has done so, or follows and finds them gone.
        list(held.select_for_update().order_by("pk"))
        found = Image.objects.select_for_update().filter(pk=image.pk)
        if not found:
            return
        told = goes_with(image)
        if typed.strip() != str(told["annotations"]):
            number = told["annotations"]
            raise DeletionRefused(
                f"The image has {number} annotation{'' if number == 1 else 's'}, not what you typed. Nothing "
                "was deleted. Type the number.",
                "number",
            )
        data = {
            **_facts_of(image),
            "reason": why,
            "submitted": told["submitted"],
            "by_protocol": _by_protocol(held),
            "drafts": told["drafts"],
            "assignments": [list(row) for row in held.order_by("pk").values_list("pk", "status", "position")],
        }
        # Before the row: while it exists, the same image is not stored again.
        if not remove_files(found):
            raise DeletionRefused("A file of the image could not be removed. Delete the image again.")
        _remove(held)
        found.delete()
        Event.objects.create(project_id=image.project_id, actor=actor, verb=IMAGE_DELETED, data=data)


def _refuse_now(image: Image) -> None:
    """Raise DeletionRefused while something under way may use the image; the caller holds the project."""
    if Upload.objects.filter(project=image.project_id, status=Upload.Status.STORING).exists():
        raise DeletionRefused("Images are being stored. Wait until they are, then delete the image.")
    _refuse_reference(image)


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


def _facts_of(image: Image) -> dict[str, Any]:
    """Return facts that identify the image in an Event."""
    return {
        "image": str(image.public_id),
        "sha256": image.sha256,
        "file": image.source_name,
        "generator": image.generator,
        "prompt": image.prompt,
        "number": image.number,
    }


def _remove(held: QuerySet[Assignment]) -> None:
    """Delete assignments with their annotations, and close the gaps that they leave in queues."""
    free: defaultdict[tuple[Batch, int], list[int]] = defaultdict(list)
    for row in held.filter(position__isnull=False).select_related("batch").order_by("position"):
        free[row.batch, row.annotator_id].append(row.position or 0)
    Annotation.objects.filter(assignment__in=held).delete()
    held.delete()
    for (batch, annotator), places in free.items():
        close_up(batch, annotator, places)
