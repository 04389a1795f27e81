"""Room for what was announced: asked for over all open announcements together, not for one at a time.

An announcement holds room for the bytes that have not come yet, as long as its upload is open and somebody
is at it. What has come is on the disk, and counted there.
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
"""An upload that nobody has touched for so long holds no room; its next bytes ask for it anew."""
OPEN: Final = (Upload.Status.RECEIVING, Upload.Status.READY)
"""Takes files. A new one makes an upload that was ready one that is being received."""

# Any number that nothing else locks by.
_LOCK: Final = 7_320_461_095


def is_abandoned(upload: Upload, now: datetime | None = None) -> bool:
    """Whether an upload holds no room because nobody is at it any more."""
    return upload.touched_at < (now or timezone.now()) - ABANDONED


def reserve(upload: Upload, size: int, *, but: UploadedFile | None = None) -> None:
    """Make sure that there is room for `size` more bytes of an upload, until the transaction ends.

    Announcements wait for each other here, so that the last room is promised once. `but` is a file that is
    not counted, for it is the one that comes. Raises NoRoom for the disk or the person, TooMany where the
    person has announced as many files as may be unfinished.
    """
    _one_at_a_time()
    ours = others = unfinished = 0
    for coming, mine in _announced(upload, but):
        ours, others = ours + coming * mine, others + coming * (not mine)
        unfinished += mine
    if unfinished >= settings.UPLOAD_UNFINISHED_FILES:
        raise TooMany(
            f"You have announced {unfinished:,} files that are not complete, and no more may be. Send these "
            "to their end, or remove them, then go on."
        )
    if ours + size > settings.UPLOAD_UNFINISHED_BYTES:
        raise NoRoom(
            f"You have announced {ours:,} bytes that have not come yet; with this file it would be "
            f"{ours + size:,}, and one person may have {settings.UPLOAD_UNFINISHED_BYTES:,}. Send what was "
            "announced, or discard uploads that are no longer needed, then go on.",
            full=True,
        )
    try:
        require_room(size, promised=ours + others)
    except CannotKeep as error:
        raise NoRoom(str(error), full=True) from error


def _one_at_a_time() -> None:
    # SQLite has one writer anyway.
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def _announced(upload: Upload, but: UploadedFile | None) -> list[tuple[int, bool]]:
    """The bytes still to come of every file that is being received, and whether this person announced it."""
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
