"""Receive the files of an upload in pieces.

An upload accepts files while it is open. A file is identified by its name in the upload: announced again with
the same size, from any browser, it resumes. The bytes on the disk are the offset
(`annotator.uploads.bytes`); the row only records completion.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4, uuid5

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile as FormFile
from django.db import IntegrityError, transaction
from django.db.models import Count, Sum
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import Event, Job, Project, Upload, UploadedFile, User
from annotator.uploads.bytes import (
    ByteStream,
    CannotKeep,
    Moved,
    Removed,
    append_at,
    length_at,
    place_of,
    remove_bytes,
    require_room,
)
from annotator.uploads.paths import fault_of
from annotator.uploads.refusals import (
    BadName,
    BrokenOff,
    FileTooLarge,
    NoRoom,
    OtherOffset,
    TakenName,
    TooMany,
    UploadClosed,
    UploadRefused,
    WrongLength,
)
from annotator.uploads.reserving import OPEN, is_abandoned, reserve
from annotator.work.jobs import cancel_job
from annotator.work.sending import TaskName, send

SWEEP_UPLOADS: Final = TaskName("annotator.tasks.sweep_uploads")
KEPT: Final = timedelta(days=7)
"""How long an inactive upload is kept."""

_TOUCH_EVERY: Final = timedelta(minutes=1)
_UNDER_WAY: Final = (Job.Status.QUEUED, Job.Status.RUNNING)


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
    """Raise TooMany if the account has reached the limit of open uploads."""
    count = Upload.objects.filter(made_by=actor, status__in=OPEN).count()
    if count >= settings.UPLOADS_OPEN:
        raise TooMany(
            f"You have {count:,} open uploads, which is the limit. Store or discard some of them first."
        )


def place_file(*, upload: Upload, name: str, size: int) -> UploadedFile:
    """Announce a file of `size` bytes, or return the one announced before.

    Raises NotOpen, BadName, TooLarge, TooMany, TakenName (known with another size), NoRoom.
    """
    if fault := fault_of(name):
        raise BadName(f"This file is rejected: {fault}.")
    require_open(upload)
    file = _known(upload, name, size) or _announced(upload, name, size)
    if size == 0:
        append(file=file, offset=0, stream=BytesIO(), length=0)
    return file


def offset_of(file: UploadedFile) -> int:
    """Return the bytes received, and mark a complete file as such. Raises NotOpen, NoRoom."""
    require_open(file.upload)
    try:
        there = length_at(path_of(file))
    except CannotKeep as error:
        raise NoRoom(str(error), full=error.full) from error
    _settle(file, there)
    return there


def append(*, file: UploadedFile, offset: int, stream: ByteStream, length: int) -> int:
    """Append `length` bytes of a stream at `offset`; return the bytes received.

    Raises NotOpen, WrongLength, OtherOffset, NoRoom; BrokenOff if fewer arrived, which are kept.
    """
    require_open(file.upload)
    if offset + length > file.size:
        raise WrongLength(
            f"{offset:,} + {length:,} bytes exceed the {file.size:,} announced for “{file.name}”."
        )
    if is_abandoned(file.upload):
        with write_transaction():
            _reopen(file.upload)
            reserve(file.upload, file.size - offset, but=file)
            _touch_now(file.upload)
    try:
        require_room(length)
        there = append_at(path_of(file), offset, stream, length)
    except Moved as moved:
        raise OtherOffset(f"{moved.there:,} bytes are stored, not {offset:,}.", there=moved.there) from moved
    except Removed as removed:
        raise UploadClosed(f"“{file.name}” was removed.") from removed
    except CannotKeep as error:
        raise NoRoom(str(error), full=error.full) from error
    touch(file.upload)
    _settle(file, there)
    if there < offset + length:
        raise BrokenOff(f"The connection was interrupted; {there:,} bytes were received.")
    return there


def path_of(file: UploadedFile) -> Path:
    """Return the path of an uploaded file; entries of archives have none."""
    return place_of(file.upload.public_id, file.public_id)


def receive_form(
    *, upload: Upload, files: Iterable[FormFile[Any]]
) -> tuple[list[UploadedFile], list[tuple[str, str]]]:
    """Receive the files of a form; return the received ones, and (name, reason) of the others."""
    taken: list[UploadedFile] = []
    refused: list[tuple[str, str]] = []
    for sent in files:
        try:
            taken.append(_received(upload, sent))
        except UploadRefused as error:
            refused.append((sent.name or "", str(error)))
    return taken, refused


def remove_file(file: UploadedFile) -> None:
    """Remove a file, and the entries read from it, from an upload. Raises NotOpen."""
    require_open(file.upload)
    path = path_of(file)
    with write_transaction():
        file.delete()
    remove_bytes(path)
    touch(file.upload)


def discard_upload(*, upload: Upload, actor: User | None) -> None:
    """Discard an upload and record an Event; a sweep removes its bytes and rows.

    Idempotent. Raises NotOpen if it is stored or being stored.
    """
    if close_upload(upload.pk, actor=actor):
        transaction.on_commit(partial(send, SWEEP_UPLOADS))
    upload.status = Upload.Status.DISCARDED


def close_upload(pk: int, *, actor: User | None, untouched_since: datetime | None = None) -> bool:
    """Set an upload to discarded unless it was touched since; return whether this changed it.

    Raises NotOpen if it is stored or being stored.
    """
    with write_transaction():
        # Read the job after locking the row: one joined while waiting may be outdated.
        Upload.objects.select_for_update().only("pk").get(pk=pk)
        upload = Upload.objects.select_related("job", "project").get(pk=pk)
        touched = untouched_since is not None and upload.touched_at >= untouched_since
        if touched or upload.status == Upload.Status.DISCARDED:
            return False
        _refuse_to_discard(upload)
        if upload.job and upload.status == Upload.Status.READING:
            cancel_job(job=upload.job, actor=actor)
        data = _what_goes(upload)
        Upload.objects.filter(pk=pk).update(status=Upload.Status.DISCARDED, touched_at=timezone.now())
        Event.objects.create(project=upload.project, actor=actor, verb="upload_discarded", data=data)
    return True


def touch(upload: Upload) -> None:
    """Record activity, at most once a minute."""
    if upload.touched_at > timezone.now() - _TOUCH_EVERY:
        return
    with write_transaction():
        _touch_now(upload)


def _touch_now(upload: Upload) -> None:
    now = timezone.now()
    Upload.objects.filter(pk=upload.pk, touched_at__lt=now - _TOUCH_EVERY).update(touched_at=now)
    upload.touched_at = now


def kept_until(upload: Upload) -> datetime:
    """Return when an inactive upload is discarded."""
    return upload.touched_at + KEPT


def require_open(upload: Upload) -> None:
    """Raise NotOpen if an upload accepts no files."""
    if upload.status not in OPEN:
        raise UploadClosed(
            f"This upload accepts no files: {upload.get_status_display().lower()}. Start another."
        )


def _known(upload: Upload, name: str, size: int) -> UploadedFile | None:
    file = upload.files.filter(archive=None, name=name).first()
    if file is not None and file.size != size:
        raise TakenName(
            f"This upload has a file “{name}” of {file.size:,} bytes; this one has {size:,}. "
            "Remove the first one, or rename this one."
        )
    if file is not None:
        file.upload = upload
    return file


def _announced(upload: Upload, name: str, size: int) -> UploadedFile:
    if size > settings.MAX_UPLOAD_BYTES:
        raise FileTooLarge(
            f"“{name}” has {size:,} bytes; the limit is {settings.MAX_UPLOAD_BYTES:,}. Split it into parts."
        )
    try:
        with write_transaction(), transaction.atomic():
            _reopen(upload)
            reserve(upload, size)
            # The reservation of an inactive upload lapses.
            _touch_now(upload)
            file = UploadedFile.objects.create(upload=upload, name=name, size=size)
            _require_place(upload, file)
    except IntegrityError:
        # Another tab announced it first.
        known = _known(upload, name, size)
        if known is None:
            raise
        return known
    return file


def _reopen(upload: Upload) -> None:
    """Lock the upload's row while a file is announced, so that it cannot be closed in the meantime."""
    current = Upload.objects.select_for_update().only("status").get(pk=upload.pk)
    upload.status = current.status
    require_open(upload)
    if current.status != Upload.Status.RECEIVING:
        Upload.objects.filter(pk=upload.pk).update(status=Upload.Status.RECEIVING)
        upload.status = Upload.Status.RECEIVING


def _require_place(upload: Upload, file: UploadedFile) -> None:
    """Raise TooMany if an upload is full. Counting is expensive, so it is done only for some files."""
    most: int = settings.MAX_UPLOAD_FILES
    if file.public_id.int % max(1, most // 1000) == 0 and upload.files.filter(archive=None).count() > most:
        raise TooMany(f"An upload holds at most {most:,} files. Store these, then start another upload.")


def _settle(file: UploadedFile, there: int) -> None:
    if there == file.size and file.state == UploadedFile.State.RECEIVING:
        receiving = UploadedFile.objects.filter(pk=file.pk, state=UploadedFile.State.RECEIVING)
        with write_transaction():
            receiving.update(state=UploadedFile.State.RECEIVED)
        file.state = UploadedFile.State.RECEIVED


def _received(upload: Upload, sent: FormFile[Any]) -> UploadedFile:
    file = place_file(upload=upload, name=sent.name or "", size=sent.size or 0)
    offset = offset_of(file)
    sent.seek(offset)
    append(file=file, offset=offset, stream=sent, length=file.size - offset)
    return file


def _refuse_to_discard(upload: Upload) -> None:
    if upload.status == Upload.Status.STORED:
        raise UploadClosed("These images are already stored, so the upload cannot be discarded.")
    if upload.status == Upload.Status.STORING and upload.job and upload.job.status in _UNDER_WAY:
        raise UploadClosed("These images are being stored. Cancel the job first, then discard the rest.")


def _what_goes(upload: Upload) -> dict[str, Any]:
    files = upload.files.filter(archive=None)
    sums = files.aggregate(files=Count("pk"), bytes=Sum("size", default=0))
    return {"upload": str(upload.public_id), "status": upload.status, **sums}
