"""Export jobs: requested, written to the storage, kept for a week."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone

from analysis.exports.files import FOLDER, store
from analysis.exports.requests import EXPORTED, ExportRequest, annotations_read, in_words, record_export
from analysis.exports.source import ExportRefused
from annotator.database.transactions import write_transaction
from annotator.models import Event, Job, Project, User
from annotator.work.jobs import JobRefused, Steps, request_job
from annotator.work.kinds import register
from annotator.work.quota import require_turn_to_export

EXPORT: Final = "export"


def register_kind() -> None:
    """Let workers make exports."""
    register(EXPORT, run_export, title="Export", section="exports")


def request_export(
    *, project: Project, request: ExportRequest, actor: User | None, request_key: UUID | None = None
) -> Job:
    """Request an export and record an Event; a repeated idempotency key returns the first job.

    Raises QuotaRefused for an account that has too many waiting.
    """
    data = {"request": request.as_json(), "words": in_words(project, request)}
    with write_transaction():
        require_turn_to_export(actor, EXPORT, request_key)
        job = request_job(project=project, kind=EXPORT, data=data, actor=actor, request_key=request_key)
        if not Event.objects.filter(project=project, verb=EXPORTED, data__job=job.pk).exists():
            record_export(project=project, request=request, actor=actor, data={"job": job.pk})
    return job


def run_export(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `request`: write the file, return its name and size."""
    request = ExportRequest.from_json(job.data["request"])
    try:
        export = request.export(job.project, watch=lambda done: steps(done, total))
    except ExportRefused as refused:
        raise JobRefused(str(refused)) from refused
    total = annotations_read(job.project, request)
    steps(0, total)
    name = f"{FOLDER}/{job.project_id}/{job.pk}.{request.format}"
    try:
        size = store(name, export)
    except ExportRefused as refused:
        raise JobRefused(str(refused)) from refused
    except OSError as error:
        raise JobRefused(f"The file could not be written: {error.strerror or error}.") from error
    rows = "1 row" if export.lines == 1 else f"{export.lines:,} rows"
    return {
        "url": reverse("export_file", args=[job.project.slug, job.pk]),
        "go_on": "Download file",
        "words": " ".join([f"{rows}. The file is kept for {in_days()}.", *export.told()]),
        "file": name,
        "bytes": size,
        "rows": export.lines,
    }


def in_days() -> str:
    """Return the days that export files are kept, as text."""
    return "1 day" if settings.EXPORT_DAYS == 1 else f"{settings.EXPORT_DAYS} days"


def expires_at(job: Job) -> datetime | None:
    """Return when the file of a finished export expires."""
    kept = timedelta(days=settings.EXPORT_DAYS)
    return job.finished_at + kept if job.status == Job.Status.DONE and job.finished_at else None


def file_of(job: Job) -> str | None:
    """Return the name of an export's file in the storage; None if missing or expired."""
    end, result = expires_at(job), job.result or {}
    if end is None or end <= timezone.now() or not default_storage.exists(result.get("file", "")):
        return None
    return str(result["file"])
