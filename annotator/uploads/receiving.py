"""Receive the files of an upload, each with one request.

A file has a row once all of its bytes are on the disk, never before. Sent again, by another tab or after a
lost answer, it is recognised by name, size and SHA-256; so a broken upload resumes with the missing files.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID, uuid4, uuid5

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile as SentFile
from django.db import IntegrityError, transaction
from django.db.models import Count, Sum
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.exchange.formats.names import TABLES, fault_of, is_ignored, is_left_behind
from annotator.inputs.refusal import Refusal
from annotator.models import Event, Project, Upload, UploadedFile, User
from annotator.uploads.contents import folder_with_room, keep, name_of
from annotator.work.jobs import cancel_job
from annotator.work.leases import UNDER_WAY
from annotator.work.sending import TaskName, send

SWEEP_UPLOADS: Final = TaskName("annotator.tasks.sweep_uploads")
KEPT: Final = timedelta(days=7)
"""How long an inactive upload is kept."""
OPEN: Final = (Upload.Status.RECEIVING, Upload.Status.READY)
"""Statuses that accept files; a new file sets a ready upload back to receiving."""
FROM_SERVER: Final = "from_server"
"""The choice of an upload that says that a command has made it."""
NO_IMAGE: Final = "Not an image, by its file extension."
"""Why a file is ignored, unless a system has left it behind."""
ZIP: Final = "ZIP"
"""The format of a received archive, whatever its name."""

_TOUCH_EVERY: Final = timedelta(minutes=1)
_ARCHIVE_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
State: Final = UploadedFile.State
_CORRECTED: Final = (State.REFUSED, State.TABLE, State.IGNORED)
"""States of files that a later one of the same name replaces."""


class UploadRefused(Refusal):
    """A refused request; the message names the cause and the repair, `code` says what a client does about it.

    `bad_name`, `taken` and `too_large` concern one file; `broken_off` and `busy` pass when it is sent again;
    `closed`, `no_room` and `too_many` stop all files. Others are codes of pages.
    """


def begin_upload(
    *,
    project: Project,
    actor: User | None,
    request_key: UUID | None = None,
) -> Upload:
    """Start an upload and record an Event; the same idempotency key returns the first one."""
    # Derive a key per project, so that it does not reveal keys of other projects.
    public_id = uuid5(request_key, f"upload of project {project.pk}") if request_key else uuid4()
    try:
        with write_transaction(), transaction.atomic():
            upload = Upload.objects.create(project=project, public_id=public_id, made_by=actor)
            data = {"upload": str(public_id)}
            Event.objects.create(
                project=project, actor=actor, verb="upload_begun", data=data, request_key=request_key
            )
    except IntegrityError:
        return Upload.objects.get(public_id=public_id, project=project)
    return upload


def require_few_open(actor: User) -> None:
    """Raise UploadRefused if the account has reached the limit of open uploads."""
    count = Upload.objects.filter(made_by=actor, status__in=OPEN).count()
    if count >= settings.UPLOADS_OPEN:
        raise UploadRefused(
            f"You have {count:,} open uploads, which is the limit. Store or discard some of them first.",
            "too_many",
        )


def no_room(error: OSError) -> UploadRefused:
    """Return the refusal for a disk that does not take bytes."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        reason = "The server's disk is full. Uploaded files are kept. Free some space"
    else:
        reason = f"The server cannot store the file: {error.strerror or error}. Try again later"
    return UploadRefused(f"{reason}, or ask the administrator of the server, then resume.", "no_room")


def require_room(size: int) -> None:
    """Raise UploadRefused unless the disk has room for `size` bytes and a reserve."""
    free = shutil.disk_usage(folder_with_room()).free - settings.UPLOAD_RESERVE_BYTES
    if size > free:
        raise UploadRefused(
            f"The server has no room for {size:,} bytes; {max(free, 0):,} are free for uploads. "
            "Discard uploads that are no longer needed, or ask the administrator of the server.",
            "no_room",
        )


def require_allowed(name: str, size: int) -> None:
    """Raise UploadRefused for a name or a size that no upload takes."""
    if fault := fault_of(name):
        raise UploadRefused(f"This file is rejected: {fault}.", "bad_name")
    if size > settings.MAX_UPLOAD_BYTES:
        raise UploadRefused(
            f"It has {size:,} bytes; the limit is {settings.MAX_UPLOAD_BYTES:,}. Split it into parts.",
            "too_large",
        )


def receive(*, upload: Upload, name: str, file: SentFile[Any]) -> UploadedFile:
    """Add a complete file; return the row that it had before, if it is sent again.

    Raises UploadRefused, also if the upload has another file of this name; OSError.
    """
    with file:
        require_allowed(name, file.size or 0)
        require_open(upload)
        require_room(0)
        start = file.read(4)
        file.seek(0)
        row = row_of(upload, name, file.size or 0, start)
        row.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return _known(upload, row) or _added(upload, row, file)


def digests_of(upload: Upload, files: Iterable[tuple[str, int]]) -> list[str | None]:
    """Return the SHA-256 of each (name, size) that the upload has, or None."""
    wanted = list(files)
    # Some names cannot be queried, and no file has them.
    names = [name for name, _ in wanted if not fault_of(name)]
    rows = upload.files.filter(archive=None, name__in=names).values_list("name", "size", "sha256")
    digests = {(name, size): sha256 for name, size, sha256 in rows}
    return [digests.get(file) for file in wanted]


def discard_upload(*, upload: Upload, actor: User | None) -> None:
    """Discard an upload and record an Event; a sweep removes its bytes and rows.

    Idempotent. Raises UploadRefused if it is stored or being stored.
    """
    if close_upload(upload.pk, actor=actor):
        transaction.on_commit(partial(send, SWEEP_UPLOADS))
    upload.status = Upload.Status.DISCARDED


def close_upload(pk: int, *, actor: User | None, untouched_since: datetime | None = None) -> bool:
    """Set an upload to discarded unless it was touched since; return whether this changed it.

    Raises UploadRefused if it is stored or being stored.
    """
    with write_transaction():
        # Read the job after locking the row: one joined while waiting may be outdated.
        Upload.objects.select_for_update().only("pk").get(pk=pk)
        upload = Upload.objects.select_related("job", "project").get(pk=pk)
        touched = untouched_since is not None and upload.touched_at >= untouched_since
        if touched or upload.status == Upload.Status.DISCARDED:
            return False
        if upload.status == Upload.Status.STORED:
            words = "These images are already stored, so the upload cannot be discarded."
            raise UploadRefused(words, "closed")
        if upload.status == Upload.Status.STORING and is_busy(upload):
            words = "These images are being stored. Cancel the job first, then discard the rest."
            raise UploadRefused(words, "busy")
        if upload.job and upload.status == Upload.Status.READING:
            cancel_job(job=upload.job, actor=actor)
        sums = upload.files.filter(archive=None).aggregate(files=Count("pk"), bytes=Sum("size", default=0))
        data = {"upload": str(upload.public_id), "status": upload.status, **sums}
        Upload.objects.filter(pk=pk).update(status=Upload.Status.DISCARDED, touched_at=timezone.now())
        Event.objects.create(project=upload.project, actor=actor, verb="upload_discarded", data=data)
    return True


def touch(upload: Upload) -> None:
    """Record activity, at most once a minute."""
    now = timezone.now()
    if upload.touched_at > now - _TOUCH_EVERY:
        return
    with write_transaction():
        Upload.objects.filter(pk=upload.pk, touched_at__lt=now - _TOUCH_EVERY).update(touched_at=now)
    upload.touched_at = now


def is_busy(upload: Upload) -> bool:
    """Return whether a job of the upload is queued or running."""
    return upload.job is not None and upload.job.status in UNDER_WAY


def require_open(upload: Upload) -> None:
    """Raise UploadRefused if an upload accepts no files; one that a dead job left behind does."""
    if upload.status in OPEN:
        return
    if upload.status in (Upload.Status.STORED, Upload.Status.DISCARDED):
        status = upload.get_status_display().lower()
        raise UploadRefused(f"This upload accepts no files: it is {status}. Start another.", "closed")
    if is_busy(upload):
        raise UploadRefused("The files of this upload are being read. More can be sent afterwards.", "busy")


def _known(upload: Upload, sent: UploadedFile) -> UploadedFile | None:
    """Return the row of a file that is the same as the one sent, whose row is not saved."""
    file = upload.files.filter(archive=None, name=sent.name).first()
    if file and (file.size, file.sha256) == (sent.size, sent.sha256):
        return file
    if file and file.state not in _CORRECTED:
        raise UploadRefused(
            f"This upload has another file “{file.name}” with other contents. "
            "Rename one of them, or put them into different folders.",
            "taken",
        )
    if file or sent.name.casefold().endswith(TABLES):
        _replace(upload, sent.name)
    return None


def _replace(upload: Upload, name: str) -> None:
    """Delete the files of this name of which a corrected one is sent; what a manifest said is said anew."""
    old = list(upload.files.filter(name=name, state__in=_CORRECTED))
    with write_transaction():
        if any(file.state == State.TABLE for file in old):
            decoded = upload.files.filter(width__isnull=False).exclude(state=State.STORED)
            decoded.update(attributes={})
            upload.files.filter(state=State.TABLE).update(state=State.RECEIVED)
        for file in old:
            file.delete()
    for file in old:
        file.upload = upload
        default_storage.delete(name_of(file))


def _added(upload: Upload, file: UploadedFile, arrived: SentFile[Any]) -> UploadedFile:
    if file.state == State.RECEIVED:
        try:
            keep(arrived, name_of(file))
        except OSError as error:
            raise no_room(error) from error
    try:
        with write_transaction(), transaction.atomic():
            _reopen(upload)
            _require_place(upload, file)
            file.save(force_insert=True)
    except IntegrityError:
        # Another tab sent it first.
        default_storage.delete(name_of(file))
        if (known := _known(upload, file)) is None:
            raise
        return known
    except BaseException:
        default_storage.delete(name_of(file))
        raise
    return file


def row_of(upload: Upload, name: str, size: int, start: bytes) -> UploadedFile:
    """Return the row, not saved, of a file that begins with `start`. Files that are no images are ignored."""
    file = UploadedFile(upload=upload, name=name, size=size, state=State.RECEIVED)
    if is_ignored(name):
        file.state, file.problem = State.IGNORED, "" if is_left_behind(name) else NO_IMAGE
    elif name.casefold().endswith(".zip") or (
        start.startswith(_ARCHIVE_STARTS) and not name.casefold().endswith(TABLES)
    ):
        file.format = ZIP
    return file


def _reopen(upload: Upload) -> None:
    """Lock the upload's row while a file is added, so that it cannot be read or closed in the meantime."""
    current = Upload.objects.select_for_update().get(pk=upload.pk)
    require_open(current)
    now = timezone.now()
    if current.status != Upload.Status.RECEIVING or current.touched_at < now - _TOUCH_EVERY:
        Upload.objects.filter(pk=upload.pk).update(status=Upload.Status.RECEIVING, touched_at=now)
        upload.touched_at = now
    upload.status = Upload.Status.RECEIVING


def _require_place(upload: Upload, file: UploadedFile) -> None:
    """Raise UploadRefused if an upload is full. Counting is expensive, so it is done only for some files."""
    most: int = settings.MAX_UPLOAD_FILES
    is_counted = file.public_id.int % max(1, most // 1000) == 0
    if is_counted and upload.files.filter(archive=None).count() >= most:
        raise UploadRefused(
            f"An upload holds at most {most:,} files. Store these, then start another upload.", "too_many"
        )
