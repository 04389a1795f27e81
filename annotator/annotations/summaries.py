"""Keep the summaries of images true: call `summarise` in the transaction of every change of ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from typing import Final

from django.db.models import Exists, OuterRef

from annotator.annotations.summary_values import CountedAnnotation, summary_values
from annotator.models import Adjudication, Annotation, ImageSummary, Project
from annotator.models.counting import is_work
from scoring.service import get_protocol

FIELDS: Final = tuple(
    field.name
    for field in ImageSummary._meta.concrete_fields
    if field.name not in ("id", "image", "protocol", "code")
)
_CHUNK: Final = 500
_NOTHING: Final = dict.fromkeys(("answers", "marked", "mild", "moderate", "severe"), 0) | dict.fromkeys(
    ("apart", "flagged", "adjudicated"), False
)


def summarise(project_id: int, image_ids: Collection[int], protocol: str, *, only_more: bool = False) -> None:
    """Write the summaries of these images of a project under one protocol; four queries to six.

    `only_more` promises that no annotation has been taken back, so that no summary needs deleting.
    Safe against concurrent changes: whoever comes second waits and then reads what the first one stored.
    """
    ids = sorted(set(image_ids))
    # The row for all annotators is the lock of an image; taken last in every change, so there is no deadlock.
    _write(
        [ImageSummary(image_id=pk, project_id=project_id, protocol=protocol, **_NOTHING) for pk in ids],
        ("project",),
    )
    rows = [
        ImageSummary(image_id=pk, project_id=project_id, protocol=protocol, code=code, **values)
        for pk, found in _found(ids, protocol).items()
        for code, values in found.items()
    ]
    _write(rows, FIELDS)
    if only_more:
        return
    held = ImageSummary.objects.filter(image__in=ids, protocol=protocol)
    known = {(image, code): pk for pk, image, code in held.values_list("pk", "image", "code")}
    gone = known.keys() - {(row.image_id, row.code) for row in rows}
    if gone:
        ImageSummary.objects.filter(pk__in=[known[each] for each in gone]).delete()


def summarise_project(
    project: Project, writing: Callable[[], AbstractContextManager[None]], pause: Callable[[], None]
) -> None:
    """Write the missing summaries of a project in pieces, each in a `writing` transaction.

    Calls `pause` after each piece; if that raises, another call continues.
    """
    for protocol in project.batches.order_by().values_list("protocol", flat=True).distinct():
        work = Annotation.objects.filter(
            is_work("assignment__"),
            assignment__image=OuterRef("pk"),
            assignment__batch__protocol=protocol,
            status=Annotation.Status.SUBMITTED,
        )
        there = ImageSummary.objects.filter(image=OuterRef("pk"), protocol=protocol)
        missing = project.images.filter(Exists(work)).exclude(Exists(there)).order_by("pk")
        done = 0
        while ids := list(missing.filter(pk__gt=done).values_list("pk", flat=True)[:_CHUNK]):
            with writing():
                summarise(project.pk, ids, protocol)
            done = ids[-1]
            pause()


def _found(ids: Collection[int], protocol: str) -> dict[int, dict[str, dict[str, object]]]:
    counted = Annotation.objects.filter(
        is_work("assignment__"),
        assignment__image__in=ids,
        assignment__batch__protocol=protocol,
        status=Annotation.Status.SUBMITTED,
    ).order_by("pk")
    annotations: dict[int, list[CountedAnnotation]] = defaultdict(list)
    fields = ("assignment__annotator__code", "ratings", "payload", "flagged", "has_unread_terms")
    for image, *values in counted.values_list("assignment__image", *fields):
        annotations[image].append(CountedAnnotation(*values))
    settled = Adjudication.objects.filter(
        image__in=ids, protocol=protocol, status=Adjudication.Status.SETTLED
    )
    adjudicated = dict(settled.values_list("image", "ratings"))
    rules = get_protocol(protocol)
    return {image: summary_values(own, rules, adjudicated.get(image)) for image, own in annotations.items()}


def _write(rows: list[ImageSummary], fields: Collection[str]) -> None:
    ImageSummary.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=("image", "protocol", "code"), update_fields=fields
    )
