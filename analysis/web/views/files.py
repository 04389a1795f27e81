"""Downloads: finished reports and files prepared by workers."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from analysis.exports.requests import expires_at, file_of, in_days
from analysis.exports.table_csv import table_csv
from analysis.models import Report
from analysis.reports.key_order import in_order
from analysis.tables.table import Table
from annotator.models import Job


def json_file(report: Report, slug: str) -> HttpResponse:
    """Return the stored result as JSON, keys in documented order."""
    return JsonResponse(
        in_order(report.result),
        json_dumps_params={"ensure_ascii": False, "indent": 2},
        headers=_named(f"{_name(report, slug)}-{_day(report)}.json"),
    )


def csv_file(report: Report, table: Table, slug: str) -> HttpResponse:
    """Return one table of the report as CSV, rounded, unlike the JSON."""
    return HttpResponse(
        table_csv(table),
        content_type="text/csv; charset=utf-8",
        headers=_named(f"{_name(report, slug)}-{table.slug}-{_day(report)}.csv"),
    )


def made_file(job: Job, title: str = "") -> dict[str, Any]:
    """Return a prepared file, or one in preparation, for the list on the export page."""
    return {
        "job": job,
        "title": title,
        "words": job.data["words"],
        "size": (job.result or {}).get("bytes"),
        "expires": expires_at(job),
        "there": file_of(job) is not None,
    }


def sent_or_gone(
    request: HttpRequest, job: Job, *, shown: str, content_type: str, gone: str
) -> HttpResponseBase:
    """Return the file of a job; if it has expired, redirect to the export page with a message on `gone`."""
    name = file_of(job)
    if name is None:
        messages.info(request, f"{gone} has expired after {in_days()}. Request it again.", "gone")
        return redirect("exports", job.project.slug)
    return kept_file(name, shown=shown, content_type=content_type)


def kept_file(name: str, *, shown: str, content_type: str) -> FileResponse:
    """Return a stored file as a streamed download under the name `shown`."""
    contents = default_storage.open(name)
    return FileResponse(contents, as_attachment=True, filename=shown, content_type=content_type)


def _name(report: Report, slug: str) -> str:
    """Return the start of the file name."""
    return f"{slug}-{report.kind}-{report.protocol}"


def _day(report: Report) -> str:
    return f"{report.finished_at or report.created_at:%Y-%m-%d}"


def _named(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
