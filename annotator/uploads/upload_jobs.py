"""Request jobs that read an upload, apply a pattern, and store it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.conf import settings

from annotator.database.transactions import write_transaction
from annotator.models import Event, Job, Upload, UploadedFile, User
from annotator.uploads.inspection import run_naming, run_reading
from annotator.uploads.refusals import UploadRefused
from annotator.uploads.status import APPLY_PATTERN, counts, hold, is_busy, pending_displays, start
from annotator.uploads.storing import run_storing
from annotator.work.kinds import register
from annotator.work.quota import QuotaRefused, require_turn

READ: Final = "read_upload"
STORE: Final = "store_upload"

__all__ = [
    "counts",
    "is_busy",
    "pending_displays",
    "register_kinds",
    "request_reading",
    "request_scaling",
    "request_storing",
]


def register_kinds() -> None:
    """Register the jobs that read and store uploads."""
    register(READ, run_reading, title="Image check", reads_files=True)
    register(APPLY_PATTERN, run_naming, title="File name check", reads_files=True)
    register(STORE, run_storing, title="Image storage", reads_files=True)


def request_reading(
    *, upload: Upload, actor: User | None, request_key: UUID | None = None, send: bool = True
) -> Job:
    """Request a job that reads the received files; the same idempotency key returns the first job.

    Incomplete files are skipped. Raises UploadRefused.
    """
    with write_transaction():
        if (earlier := _earlier(upload, (READ,), actor, request_key)) is not None:
            return earlier
        _require_turn(actor)
        current = hold(upload, [Upload.Status.RECEIVING, Upload.Status.READY])
        if not current.files.exclude(state=UploadedFile.State.RECEIVING).exists():
            raise UploadRefused("No file is complete yet. Finish the upload of at least one file.")
        return start(current, READ, Upload.Status.READING, actor=actor, request_key=request_key, send=send)


def request_scaling(
    *, upload: Upload, actor: User | None, request_key: UUID | None = None, send: bool = True
) -> Job:
    """Have the images above the limit of pixels scaled down, with an Event; return the job that reads them.

    Files uploaded later are asked about again. The same idempotency key returns the first job. Raises
    UploadRefused.
    """
    with write_transaction():
        if (earlier := _earlier(upload, (READ,), actor, request_key)) is not None:
            return earlier
        _require_turn(actor)
        current = hold(upload, [Upload.Status.READY])
        large = current.files.filter(state=UploadedFile.State.LARGE)
        count = large.update(state=UploadedFile.State.RECEIVED, problem="", scaled_from={})
        if not count:
            raise UploadRefused("No file is too large any more. Reload the page.", "none-large")
        data = {"upload": str(upload.public_id), "files": count, "pixels": settings.MAX_IMAGE_PIXELS}
        Event.objects.create(project=current.project, actor=actor, verb="upload_scaled", data=data)
        return start(current, READ, Upload.Status.READING, actor=actor, request_key=request_key, send=send)


def request_storing(
    *, upload: Upload, actor: User | None, request_key: UUID | None = None, send: bool = True
) -> Job:
    """Request a job that stores ready files; the same key returns the first job. Raises UploadRefused."""
    with write_transaction():
        if (earlier := _earlier(upload, (STORE,), actor, request_key)) is not None:
            return earlier
        _require_turn(actor)
        current = hold(upload, [Upload.Status.READY])
        if not current.files.filter(state=UploadedFile.State.READY).exists():
            raise UploadRefused("No file is ready. Correct the unclear files first.", "nothing-ready")
        return start(current, STORE, Upload.Status.STORING, actor=actor, request_key=request_key, send=send)


def _require_turn(actor: User | None) -> None:
    try:
        require_turn(actor)
    except QuotaRefused as refused:
        raise UploadRefused(str(refused)) from refused


def _earlier(
    upload: Upload, kinds: Collection[str], actor: User | None, request_key: UUID | None
) -> Job | None:
    """Return the job with the same key. Raises UploadRefused if it was another request."""
    earlier = Job.objects.filter(request_key=request_key).first() if request_key else None
    if earlier is None:
        return None
    if earlier.kind not in kinds or earlier.requested_by_id != (actor.pk if actor else None):
        raise UploadRefused("This form was already used. Reload the page.")
    if earlier.data.get("upload") != upload.pk:
        raise UploadRefused("This form was already used for another upload. Reload the page.")
    return earlier
