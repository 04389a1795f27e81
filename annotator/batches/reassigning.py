"""Withdraw and add assignments for a change of annotators."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from django.db.models import F

from annotator.batches.planning import Placement
from annotator.batches.planning.interleaving import REPEAT, WORK
from annotator.models import Assignment, Batch, Membership
from annotator.models.counting import PLANNED, is_work

_ASIDE: Final = 1_000_000_000
"""Offset of positions while they change: longer than any queue, so that positions stay unique."""

_ROWS: Final = 500

Key = tuple[str, str, str]
"""(image by content, annotator's code, purpose)."""


def reassign(batch: Batch, withdraw: Sequence[Key], add: Sequence[Placement]) -> None:
    """Withdraw and add assignments, inside a transaction that locks the batch.

    The rest of a queue keeps its order and closes gaps; new assignments follow, in the order of their
    positions. A withdrawn assignment keeps its draft, and is restored if it is added again.
    """
    rows: dict[Key, int] = {}
    images: dict[str, int] = {}
    planned = Assignment.objects.filter(batch=batch, purpose__in=PLANNED)
    columns = ("image__sha256", "annotator__code", "purpose", "pk", "image")
    for *key, pk, image in planned.values_list(*columns):
        rows[tuple(key)], images[key[0]] = pk, image
    for annotator, places in _withdraw(batch, [rows[key] for key in withdraw]).items():
        close_up(batch, annotator, sorted(places))
    _add(batch, rows, images, add)


def _withdraw(batch: Batch, keys: Sequence[int]) -> dict[int, list[int]]:
    """Withdraw open assignments and return the freed positions by annotator."""
    free: defaultdict[int, list[int]] = defaultdict(list)
    for start in range(0, len(keys), _ROWS):
        piece = keys[start : start + _ROWS]
        found = Assignment.objects.filter(batch=batch, pk__in=piece, status=Assignment.Status.OPEN)
        places = [(row.annotator_id, row.position or 0) for row in found.only("annotator", "position")]
        if len(places) != len(piece):
            raise RuntimeError("A finished assignment cannot be withdrawn.")
        for annotator, position in places:
            free[annotator].append(position)
        found.update(status=Assignment.Status.WITHDRAWN, position=None)
    return free


def close_up(batch: Batch, annotator: int, free: Sequence[int]) -> None:
    """Close the gaps in a queue, with one statement for the rows between two gaps."""
    queue = Assignment.objects.filter(batch=batch, annotator=annotator)
    queue.filter(position__gt=free[0]).update(position=F("position") + _ASIDE)
    for passed, (start, end) in enumerate(zip(free, [*free[1:], _ASIDE], strict=True), start=1):
        if end - start > 1:
            between = queue.filter(position__gt=_ASIDE + start, position__lt=_ASIDE + end)
            between.update(position=F("position") - (_ASIDE + passed))


def _add(batch: Batch, rows: dict[Key, int], images: dict[str, int], add: Sequence[Placement]) -> None:
    """Append new assignments to the queues; `images` are the ids of the batch's images by content."""
    people = dict(Membership.objects.filter(project=batch.project_id).values_list("code", "pk"))
    placed = Assignment.objects.filter(batch=batch, position__isnull=False).order_by()
    next_place = Counter(placed.values_list("annotator", flat=True))
    targeted = Assignment.objects.filter(is_work(), batch=batch, drawn=Assignment.Drawn.TARGETED).exists()
    drawn = Assignment.Drawn.TARGETED if targeted else Assignment.Drawn.SINGLE
    new: list[Assignment] = []
    revived: list[Assignment] = []
    for one in sorted(add, key=lambda placement: (placement.annotator, placement.position)):
        annotator = people[one.annotator]
        next_place[annotator] += 1
        row = Assignment(
            pk=rows.get((one.image, one.annotator, one.purpose)),
            batch=batch,
            image_id=images[one.image],
            annotator_id=annotator,
            position=next_place[annotator],
            status=Assignment.Status.OPEN,
            drawn=drawn if one.purpose == WORK else Assignment.Drawn.SINGLE,
            purpose=one.purpose,
            pass_no=int(one.purpose == REPEAT),
        )
        (new if row.pk is None else revived).append(row)
    Assignment.objects.bulk_update(revived, ["position", "status"], batch_size=_ROWS)
    Assignment.objects.bulk_create(new, batch_size=5000)
