"""The progress of an upload's job, as text and as a share, for its page and its script."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final
from uuid import UUID

from django.http import HttpRequest

from annotator.models import Upload, User
from annotator.uploads.status import is_busy
from annotator.web.views.json_endpoint import Facts, json_endpoint
from annotator.web.views.uploads.upload_counts import Displays, displays_of
from annotator.web.views.uploads.uploads import upload_of
from annotator.work.liveness import worker_silent
from annotator.work.waiting import wait_of

NO_WORKER: Final = (
    "No worker is running. The job starts as soon as a worker does (celery -A config worker -B)."
)
_READING: Final = "Checking files…"
_NAMING: Final = "Reading file names…"
_STORING: Final = "Storing images…"
_RESTORING: Final = "Restoring bundle…"


@dataclass(frozen=True)
class UploadProgress:
    """The progress of an upload; the page reloads when `step` changes."""

    step: str
    words: str = ""
    share: float = 0.0
    warning: str = ""


@json_endpoint("GET")
def upload_status(_request: HttpRequest, user: User, slug: str, public_id: UUID) -> Facts:
    """Return the progress of an upload."""
    return asdict(progress_of(upload_of(user, slug, public_id)))


def progress_of(upload: Upload, displays: Displays | None = None) -> UploadProgress:
    """Return the progress of an upload; a status left behind by a dead job counts as ready."""
    status = Upload.Status
    if upload.status in (status.READING, status.STORING):
        return _working(upload) if is_busy(upload) else UploadProgress("ready")
    if upload.status != status.STORED or upload.kind == Upload.Kind.BUNDLE:
        return UploadProgress(str(upload.status))
    return _drawing(displays or displays_of(upload))


def _working(upload: Upload) -> UploadProgress:
    job = upload.job
    assert job is not None  # busy
    wait = wait_of(job)
    silent = wait is not None and wait.code == "no-worker"
    # A job that resumes another one starts with its progress.
    if wait is not None and (silent or not job.progress):
        words, warning = ("Waiting for a worker…", NO_WORKER) if silent else (wait.words, "")
        return UploadProgress("working", words, job.progress / 100, warning)
    if upload.status == Upload.Status.READING:
        words = _NAMING if job.kind == "apply_pattern" else _READING
    else:
        words = _RESTORING if upload.kind == Upload.Kind.BUNDLE else _STORING
    return UploadProgress("working", f"{words} {job.progress} %", job.progress / 100)


def _drawing(displays: Displays) -> UploadProgress:
    if not displays.pending:
        return UploadProgress("stored")
    made = displays.total - displays.pending
    words = f"Display copies: {made:,} of {displays.total:,}"
    return UploadProgress("drawing", words, made / displays.total, NO_WORKER if worker_silent() else "")
