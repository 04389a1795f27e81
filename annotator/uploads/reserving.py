"""Reserve disk space for announced files, over all open announcements.

An announcement reserves space for missing bytes while its upload is open and active. Received bytes are on
the disk and counted there.
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import connection
from django.utils import timezone

from annotator.models import Upload, UploadedFile
from annotator.uploads.bytes import CannotKeep, place_of, require_room
from annotator.uploads.refusals import NoRoom, TooMany

ABANDONED: Final = timedelta(hours=1)
"""After this inactivity an upload loses its reservation; its next bytes reserve again."""
OPEN: Final = (Upload.Status.RECEIVING, Upload.Status.READY)
"""Statuses that accept files; a new file sets a ready upload back to receiving."""

# An arbitrary number that identifies this lock.
_LOCK: Final = 7_320_461_095


def is_abandoned(upload: Upload, now: datetime | None = None) -> bool:
    """Return whether an upload has lost its reservation by inactivity."""
    return upload.touched_at < (now or timezone.now()) - ABANDONED


def reserve(upload: Upload, size: int, *, but: UploadedFile | None = None) -> None:
    """Reserve `size` more bytes for an upload until the transaction ends.

    Announcements are serialised here, so that the last space is reserved once. `but` is the current file,
    which is not counted. Raises NoRoom for the disk or the account's quota, TooMany if the account has
    reached the limit of unfinished files.
    """
    _one_at_a_time()
    ours = others = unfinished = 0
    for coming, mine in _announced(upload, but):
        ours, others = ours + coming * mine, others + coming * (not mine)
        unfinished += mine
    if unfinished >= settings.UPLOAD_UNFINISHED_FILES:
        raise TooMany(
            f"You have {unfinished:,} incomplete files, which is the limit. Finish their upload, "
            "or remove them, then resume."
        )
    if ours + size > settings.UPLOAD_UNFINISHED_BYTES:
        raise NoRoom(
            f"You have {ours:,} bytes of unfinished files; this file would make it {ours + size:,}, but the "
            f"limit is {settings.UPLOAD_UNFINISHED_BYTES:,}. Finish or discard uploads, then resume.",
            full=True,
        )
    try:
        require_room(size, promised=ours + others)
    except CannotKeep as error:
        raise NoRoom(str(error), full=True) from error


def _one_at_a_time() -> None:
    # SQLite has only one writer.
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def _announced(upload: Upload, but: UploadedFile | None) -> list[tuple[int, bool]]:
    """Return the missing bytes of every file being received, and whether it is this account's."""
    files = UploadedFile.objects.filter(
        state=UploadedFile.State.RECEIVING,
        archive=None,
        upload__status__in=OPEN,
        upload__touched_at__gt=timezone.now() - ABANDONED,
    ).exclude(pk=but.pk if but else 0)
    rows = files.order_by().values_list("upload__public_id", "public_id", "size", "upload__made_by")
    found = []
    for place, name, size, person in rows.iterator(2000):
        mine = person is not None and person == upload.made_by_id
        found.append((max(0, size - _length(str(place_of(place, name)))), mine))
    return found


def _length(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
