"""Asking workers to read an upload, to read its names anew, and to store it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from uuid import UUID

from annotator.database.transactions import write_transaction
from annotator.models import Job, Upload, UploadedFile, User
from annotator.uploads.reading import run_naming, run_reading
from annotator.uploads.refusals import UploadRefused
from annotator.uploads.status import APPLY_PATTERN, counts, hold, is_busy, pending_displays, start
from annotator.uploads.storing import run_storing
from annotator.work.kinds import job_kind, register
from annotator.work.quota import QuotaRefused, require_turn

READ: Final = "read_upload"
STORE: Final = "store_upload"
RESTORE: Final = "restore_bundle"

__all__ = ["counts", "is_busy", "pending_displays", "register_kinds", "request_reading", "request_storing"]


def register_kinds() -> None:
    """Let workers read and store uploads."""
    register(READ, run_reading, title="Reading of images", reads_files=True)
    register(APPLY_PATTERN, run_naming, title="Reading of names", reads_files=True)
    register(STORE, run_storing, title="Storing of images", reads_files=True)


def request_reading(
    *, upload: Upload, actor: User | None, request_key: UUID | None = None, send: bool = True
) -> Job:
    """Ask a worker to read what was received; the same request key returns the first job.

    Files of which a part is missing stay out of it. Raises UploadRefused, in words.
    """
    with write_transaction():
        if (earlier := _earlier(upload, (READ,), actor, request_key)) is not None:
            return earlier
        _require_turn(actor)
        current = hold(upload, [Upload.Status.RECEIVING, Upload.Status.READY])
        if not current.files.exclude(state=UploadedFile.State.RECEIVING).exists():
            raise UploadRefused("No file is complete yet: there is nothing to read.")
        return start(current, READ, Upload.Status.READING, actor=actor, request_key=request_key, send=send)


def request_storing(
    *, upload: Upload, actor: User | None, request_key: UUID | None = None, send: bool = True
) -> Job:
    """Ask a worker to store what is ready, or to restore a bundle; the same key returns the first job.

    Raises UploadRefused, in words.
    """
    with write_transaction():
        if (earlier := _earlier(upload, (STORE, RESTORE), actor, request_key)) is not None:
            return earlier
        _require_turn(actor)
        current = hold(upload, [Upload.Status.READY])
        kind = STORE if current.kind == Upload.Kind.IMAGES else RESTORE
        if kind == STORE and not current.files.filter(state=UploadedFile.State.READY).exists():
            raise UploadRefused("No file is ready to be stored.", "nothing-ready")
        try:
            job_kind(kind)
        except KeyError:
            raise UploadRefused("This version of the program cannot read bundles.") from None
        return start(current, kind, Upload.Status.STORING, actor=actor, request_key=request_key, send=send)


def _require_turn(actor: User | None) -> None:
    try:
        require_turn(actor)
    except QuotaRefused as refused:
        raise UploadRefused(str(refused)) from refused


def _earlier(
    upload: Upload, kinds: Collection[str], actor: User | None, request_key: UUID | None
) -> Job | None:
    """The job of the same request. Raises UploadRefused where that was about something else."""
    earlier = Job.objects.filter(request_key=request_key).first() if request_key else None
    if earlier is None:
        return None
    if earlier.kind not in kinds or earlier.requested_by_id != (actor.pk if actor else None):
        raise UploadRefused("This request was used for something else; open the page anew.")
    if earlier.data.get("upload") != upload.pk:
        raise UploadRefused("This request was used for another upload before; open the page anew.")
    return earlier
