"""The stored plans of a batch, and whether a change of its annotators fits into a request."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from annotator.batches.planning.certificate import MALFORMED, annotators_first
from annotator.models import Assignment, Batch, Event, Image, Plan
from annotator.models.counting import is_work

INLINE_ASSIGNMENTS: Final = 20_000
"""A batch of up to this many is changed in a second or two."""
INLINE_BYTES: Final = 8 * 1024 * 1024
INLINE_ROWS: Final = 200_000
"""Images, assignments and counts in the plans of a batch that are recomputed in a request."""
INLINE_ANNOTATORS: Final = 200
_PIECE: Final = 64 * 1024

IMAGE_DELETED: Final = "image_deleted"


def deleted_among(project_id: int) -> set[str]:
    """Return the images, by content, that are deleted now."""
    asked = Event.objects.filter(project=project_id, verb=IMAGE_DELETED)
    gone = set(asked.values_list("data__sha256", flat=True))
    there = Image.objects.filter(project=project_id, sha256__in=gone)
    return gone - set(there.values_list("sha256", flat=True)) if gone else gone


def document_of(plan: Plan) -> bytes:
    """Return a plan's canonical text; raises ValueError if it cannot be decompressed."""
    try:
        return zlib.decompress(plan.document)
    except zlib.error as error:
        raise ValueError("The stored document of the plan is damaged.") from error


def pieces_of(plan: Plan) -> Iterator[bytes]:
    """Yield a plan's canonical text in pieces: a page reads only the beginning of several megabytes."""
    unpack = zlib.decompressobj()
    waiting = bytes(plan.document)
    while waiting:
        yield unpack.decompress(waiting, _PIECE)
        waiting = unpack.unconsumed_tail
    yield unpack.flush()


def held_in(batch: Batch) -> int:
    """Return the number of assignments with a place in a queue: what a change of annotators considers."""
    return Assignment.objects.filter(is_work(), batch=batch, position__isnull=False).count()


def fits_request(batch: Batch) -> bool:
    """Return whether a batch and its plans are small enough to be changed in a request.

    A plan can have many more images and annotators than its batch, from which images were deleted.
    """
    if held_in(batch) > INLINE_ASSIGNMENTS:
        return False
    size = rows = 0
    try:
        for plan in batch.plans.order_by("pk").iterator(chunk_size=20):
            pieces = []
            for piece in pieces_of(plan):
                pieces.append(piece)
                size += len(piece)
                rows += piece.count(b"[") + piece.count(b"{")
                if size > INLINE_BYTES or rows > INLINE_ROWS:
                    return False
            if len(annotators_first(pieces)) > INLINE_ANNOTATORS:
                return False
    except (ValueError, zlib.error, *MALFORMED):
        return False
    return True
