"""Keep the summaries of images true: call `summarise` in the transaction of every change of ratings."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection
from decimal import Decimal
from typing import Any, Final

from django.db import connection
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from annotator.annotations.given import outdated_among
from annotator.annotations.summary_values import CountedAnnotation, summary_values
from annotator.database.changes import Change, put, upsert
from annotator.database.prepared import Prepared
from annotator.models import Adjudication, Annotation, Assignment, ImageSummary
from annotator.models.counting import is_work
from annotator.models.data_sets import REAL, DataSet
from scoring.protocol import INVALID_FROM
from scoring.service import get_protocol

FIELDS: Final = tuple(
    field.name
    for field in ImageSummary._meta.concrete_fields
    if field.name not in ("id", "image", "protocol", "code")
)
_KEY: Final = ("image", "protocol", "code")
_VALUES: Final = tuple(name for name in FIELDS if name != "project")
_CHUNK: Final = 500
_FEW: Final = 8
"""Up to so many rows are written without looking which of them have changed."""
_NOTHING: Final = {
    **dict.fromkeys(("answers", "tags", "marked", "mild", "moderate", "severe"), 0),
    **dict.fromkeys(("apart", "flagged", "adjudicated"), False),
}


def locks(project_id: int, image_id: int, protocol: str) -> list[Change]:
    """Return what locks the summaries of an image until the end of a transaction; nothing on SQLite."""
    rows = _locking(project_id, [image_id], protocol)
    return [upsert(rows, _KEY, ("project",))] if rows else []


def _locking(project_id: int, ids: Collection[int], protocol: str) -> list[ImageSummary]:
    # The row for all annotators is the lock of an image, taken after that of the annotation in every change,
    # so there is no deadlock. SQLite has a single writer.
    here = {"project_id": project_id, "protocol": protocol, **_NOTHING}
    return [ImageSummary(image_id=pk, **here) for pk in ids if connection.vendor == "postgresql"]


def summarise(
    project_id: int,
    image_ids: Collection[int],
    protocol: str,
    *,
    only_more: bool = False,
    locked: bool = False,
) -> None:
    """Write the summaries of these images of a project under one protocol that changed; three queries or so.

    `only_more` promises that no annotation has been taken back, so that no summary needs deleting; `locked`
    that `locks` have been made. Safe against concurrent changes: whoever comes second waits and then reads
    what the first one stored.
    """
    ids, here = sorted(set(image_ids)), {"project_id": project_id, "protocol": protocol}
    if not locked:
        put(_locking(project_id, ids, protocol), _KEY, ("project",))
    rows = {
        (pk, code): ImageSummary(image_id=pk, code=code, **here, **values)
        for pk, by_code in _found(ids, protocol).items()
        for code, values in by_code.items()
    }
    held = ImageSummary.objects.filter(image__in=ids, protocol=protocol)
    if not rows:
        # With the row that was the lock.
        held.delete()
        return
    if only_more and len(rows) <= _FEW:
        put(list(rows.values()), _KEY, FIELDS)
        return
    # Of an image with many annotators, a submission changes few rows: only those are written.
    there = held.values_list("pk", "image", "code", *_VALUES)
    stored = {(image, code): (pk, values) for pk, image, code, *values in there}
    changed = [row for key, row in rows.items() if key not in stored or stored[key][1] != _values_of(row)]
    put(changed, _KEY, FIELDS)
    if gone := [pk for key, (pk, _) in stored.items() if key not in rows]:
        ImageSummary.objects.filter(pk__in=gone).delete()


def _values_of(row: ImageSummary) -> list[Any]:
    return [getattr(row, name) for name in _VALUES]


def summarise_invalid(project_id: int, protocols: Collection[str], votes: int) -> None:
    """Write the summaries of all images that `votes` people or more may have called invalid, in pieces.

    For a new number of invalid votes, in its transaction, which holds the batches so that no annotation
    changes.
    """
    # Whoever gave no number, or several answers of which the latest may be without one.
    rows = ImageSummary.objects.filter(project=project_id, protocol__in=protocols).exclude(code="")
    doubted = rows.filter(Q(mean=None) | Q(answers__gt=1)).order_by().values_list("protocol", "image")
    by_protocol: dict[str, list[int]] = defaultdict(list)
    for protocol, image, _ in doubted.annotate(voters=Count("pk")).filter(voters__gte=votes):
        by_protocol[protocol].append(image)
    for protocol, ids in by_protocol.items():
        for start in range(0, len(ids), _CHUNK):
            summarise(project_id, ids[start : start + _CHUNK], protocol, only_more=True)


def _found(ids: list[int], protocol: str) -> dict[int, dict[str, dict[str, object]]]:
    annotations: dict[int, list[CountedAnnotation]] = defaultdict(list)
    told: dict[int, dict[str, Any]] = {}
    # Compiled once for a single image, as of every submission.
    rows = _OF_ONE.rows(ids[0], protocol) if len(ids) == 1 else _counted(ids, protocol)
    outdated = outdated_among(protocol, Annotation.objects.filter(_is_of(ids, protocol)))
    for pk, status, image, code, ratings, payload, *facts in rows:
        flagged, is_partly_unread, adjudicated, source, votes, *shared = facts
        if status != Annotation.Status.SUBMITTED:
            continue
        stated = CountedAnnotation(
            code, json.loads(ratings), json.loads(payload), flagged, is_partly_unread, pk in outdated
        )
        annotations[image].append(stated)
        told[image] = {
            "adjudicated": adjudicated and json.loads(adjudicated),
            "invalid_from": votes or INVALID_FROM,
            "real": source == REAL,
            "due": due_of(*shared),
        }
    rules = get_protocol(protocol)
    return {image: summary_values(own, rules, **told[image]) for image, own in annotations.items()}


def due_of(drawn: str, overlap: Decimal, per_image: int) -> int:
    """Return how many people judge an image that was `drawn` for a batch with this overlap."""
    return per_image if overlap and drawn != Assignment.Drawn.SINGLE else 1


def _is_of(ids: list[int], protocol: str) -> Q:
    return is_work("assignment__") & Q(assignment__image__in=ids, assignment__batch__protocol=protocol)


def _counted(ids: list[int], protocol: str) -> QuerySet[Annotation, Any]:
    """Return the query of the annotations of images for work, with their status.

    Each has the adjudicated ratings and the source of its image, and the project's number of invalid votes.
    The status is no condition: without statistics, SQLite would begin with all submitted annotations of the
    site.
    """
    adjudicated = Adjudication.objects.filter(
        image=OuterRef("assignment__image"), protocol=protocol, status=Adjudication.Status.ADJUDICATED
    )
    data_set = DataSet.objects.filter(project=OuterRef("assignment__image__project"))
    counted = Annotation.objects.filter(_is_of(ids, protocol)).order_by("submitted_at", "pk")
    return counted.values_list(
        "pk",
        "status",
        "assignment__image",
        "assignment__annotator__code",
        Cast("ratings", TextField()),
        Cast("payload", TextField()),
        "flagged",
        "has_unread_terms",
        Cast(Subquery(adjudicated.values("ratings")), TextField()),
        KeyTextTransform("source", "assignment__image__attributes"),
        Subquery(data_set.values(votes=Cast(KeyTextTransform("invalid_from", "settings"), IntegerField()))),
        "assignment__drawn",
        "assignment__batch__overlap",
        "assignment__batch__per_image",
    )


_OF_ONE: Final = Prepared(lambda image, protocol: _counted([image], protocol))
