"""Files on their way out: a finished report, and what a worker made and the storage keeps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from analysis.exports.jobs import expires_at, file_of, in_days
from analysis.exports.table_csv import table_csv
from analysis.models import Report
from analysis.protocols.registry import numbers_of
from analysis.reports.key_order import in_order
from analysis.tables.table import Table
from annotator.models import Job


def json_file(report: Report, slug: str) -> HttpResponse:
    """The result, exactly as it was stored, keys in documented order."""
    return JsonResponse(
        in_order(report.result),
        json_dumps_params={"ensure_ascii": False, "indent": 2},
        headers=_named(f"{_name(report, slug)}-{_day(report)}.json"),
    )


def csv_file(report: Report, table: Table, slug: str) -> HttpResponse:
    """One table of the report as people read it, rounded; the JSON has every digit."""
    return HttpResponse(
        table_csv(table),
        content_type="text/csv; charset=utf-8",
        headers=_named(f"{_name(report, slug)}-{table.slug}-{_day(report)}.csv"),
    )


@dataclass(frozen=True)
class MadeFile:
    """A file that a worker made or makes, as the page of exports lists it."""

    job: Job
    title: str
    words: str
    size: int | None
    expires: datetime | None
    there: bool


def made_file(job: Job, title: str = "") -> MadeFile:
    """Return what is listed of a job."""
    size = (job.result or {}).get("bytes")
    return MadeFile(job, title, job.data["words"], size, expires_at(job), file_of(job) is not None)


def sent_or_gone(
    request: HttpRequest, job: Job, *, shown: str, content_type: str, gone: str
) -> HttpResponseBase:
    """The file of a job; where it has expired the page of exports says so, beginning with `gone`."""
    name = file_of(job)
    if name is None:
        messages.info(request, f"{gone} kept for {in_days(job.project)}. Make it anew.", "gone")
        return redirect("exports", job.project.slug)
    return kept_file(name, shown=shown, content_type=content_type)


def kept_file(name: str, *, shown: str, content_type: str) -> FileResponse:
    """A file of the storage, a piece at a time, under the name it is saved with."""
    contents = default_storage.open(name)
    return FileResponse(contents, as_attachment=True, filename=shown, content_type=content_type)


def _name(report: Report, slug: str) -> str:
    """What a file is called after: a result that says which protocol it is about says so there, too."""
    about = f"-{report.protocol}" if numbers_of(report.protocol).names_itself else ""
    return f"{slug}-{report.kind}{about}"


def _day(report: Report) -> str:
    return f"{report.finished_at or report.created_at:%Y-%m-%d}"


def _named(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
