"""Annotation exports: small files download directly, large ones are prepared by a worker."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from analysis.data.ratings_table import shown_from
from analysis.exports.files import sentences
from analysis.exports.filters import Filters, answers, left_out
from analysis.exports.registry import layouts_of
from analysis.exports.requests import (
    EXPORT,
    ExportRequest,
    annotations_read,
    record_export,
    request_export,
    require_possible,
)
from analysis.exports.source import ExportRefused
from analysis.tables.project_methods import project_methods
from analysis.web.views.bundles import bundle_context
from analysis.web.views.export_form import ExportForm
from analysis.web.views.files import made_file, sent_or_gone
from annotator.database.transactions import write_transaction
from annotator.inputs.refusal import as_form_error
from annotator.models import Job, Project, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.people.access import project_as_lead
from annotator.projects.protocols import ProtocolRefused, measured, protocol_for, protocols_of
from annotator.web.views.pages import SignedIn, form_page, page_of, safe_page
from annotator.web.views.protocol_choice import PARAMETER, ChosenProtocol, known_among
from annotator.work.jobs import JobRefused
from scoring.service import get_protocol

AT_ONCE: Final = 20_000
"""Annotations that are read in about a second, while the browser receives the file."""
ROWS: Final = 10
FIRST_ROWS: Final = 5
FIRST_COLUMNS: Final = (
    *("Image Id", "Model", "Prompt", "cumulative_score", "severity_a", "severity_b", "severity_c"),
    "Annotator",
)
"""Those shown of the scores; without a cumulative score, also the first variables of the protocol."""
FIRST_VARIABLES: Final = 4


@form_page
def exports(request: SignedIn, slug: str) -> HttpResponseBase:
    """Show the form and prepared files; a valid form returns the file or its job."""
    project = project_as_lead(request.user, slug)
    asked = request.POST.get(PARAMETER) or request.GET.get(PARAMETER)
    # Before the first batch, the layouts of what the project measures.
    there = protocols_of(project) or measured(project)
    try:
        protocol = protocol_for(project, asked, "which one", there)
    except ProtocolRefused as refused:
        if asked is not None or request.method == "POST":
            messages.error(request, str(refused), refused.code)
            return redirect("exports", slug)
        known = known_among(there)
        protocol = known[0].slug if known else DEFAULT_PROTOCOL
    if request.method != "POST":
        return _page(request, project, there, ExportForm(project, protocol))
    form = ExportForm(project, protocol, request.POST)
    if not form.is_valid():
        return _page(request, project, there, form)
    wanted = form.export_request()
    try:
        require_possible(project)
        # A worker can say why a file is empty; a download cannot.
        needs_worker = wanted.in_format.by_worker or wanted.in_layout.why_empty
        if not needs_worker and annotations_read(project, wanted) <= AT_ONCE:
            return _at_once(project, wanted, request.user)
        key = form.cleaned_data["request_key"]
        job = request_export(project=project, request=wanted, actor=request.user, request_key=key)
    except (ExportRefused, JobRefused) as refused:
        form.add_error(None, as_form_error(refused))
        return _page(request, project, there, form)
    return redirect("job", job.pk)


@safe_page
def export_file(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """Send a prepared file to a lead of its project until it expires."""
    project = project_as_lead(request.user, slug)
    job = get_object_or_404(project.jobs, pk=pk, kind=EXPORT, status=Job.Status.DONE)
    wanted = ExportRequest.from_json(job.data["request"])
    shown = wanted.file_name(project, job.created_at.date())
    content_type, gone = wanted.in_format.content_type, "The file"
    return sent_or_gone(request, job, shown=shown, content_type=content_type, gone=gone)


EMPTY: Final = "Anatomark-Empty"
"""The header that says why a file has no rows."""


def _at_once(project: Project, wanted: ExportRequest, actor: User) -> StreamingHttpResponse:
    with write_transaction():
        record_export(project=project, request=wanted, actor=actor)
    return streamed(project, wanted)


def streamed(
    project: Project, wanted: ExportRequest, more: Mapping[str, str] | None = None
) -> StreamingHttpResponse:
    """Return an export that is generated while it is sent, with `more` headers."""
    name = wanted.file_name(project, timezone.now().date())
    export = wanted.export(project)
    if why := export.why_empty():
        more = {**(more or {}), EMPTY: why}
    return StreamingHttpResponse(
        export,
        content_type=wanted.in_format.content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"', **(more or {})},
    )


def _page(request: HttpRequest, project: Project, there: Sequence[str], form: ExportForm) -> HttpResponse:
    jobs = project.jobs.filter(kind=EXPORT).select_related("requested_by").order_by("-pk")
    page = page_of(request, jobs, ROWS)
    source = shown_from(project, form.protocol, there)
    context = {
        "project": project,
        "section": "exports",
        "form": form,
        **_protocol_context(project, there, form.protocol, source),
        "key": uuid4(),
        "days": settings.EXPORT_DAYS,
        "page": page,
        "made": [_made(job) for job in page],
        "methods": project_methods(project, form.protocol),
        **_first_rows(project, form, source),
        **bundle_context(project),
    }
    return render(request, "analysis/exports/exports.html", context, status=422 if form.errors else 200)


def _first_rows(project: Project, form: ExportForm, source: str) -> dict[str, Any]:
    """Return the first rows of the scores with their sums; nothing without any, or of a large project."""
    wanted = ExportRequest("scores", protocol=form.protocol)
    if "scores" not in layouts_of(form.protocol) or annotations_read(project, wanted) > AT_ONCE:
        return {}
    text = ""
    try:
        for piece in wanted.export(project):
            text += piece.decode()
            if text.count("\n") > FIRST_ROWS:
                break
    except (ExportRefused, ValueError):
        return {}  # told when the file is asked for
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))[: FIRST_ROWS + 1]
    protocol = get_protocol(source)
    own = () if protocol.headline.name in FIRST_COLUMNS else protocol.variables[:FIRST_VARIABLES]
    first = {*FIRST_COLUMNS, *(variable.name for variable in own)}
    places = [place for place, name in enumerate(rows[0]) if name in first]
    return {
        "first_rows": [[row[place] for place in places] for row in rows],
        "more_rows": answers(project, Filters(), source).count() - len(rows) + 1,
        "more_columns": len(rows[0]) - len(places),
    }


def _protocol_context(project: Project, there: Sequence[str], protocol: str, source: str) -> dict[str, Any]:
    """Return the protocols that can be exported, and what files of this one leave out."""
    chosen = ChosenProtocol(get_protocol(protocol), known_among(there))
    said = [
        f"This version does not know the protocol {slug}, so its annotations cannot be exported."
        for slug in there
        if slug not in chosen.there
    ]
    return {
        "chosen": chosen,
        "left_out": [*sentences(protocol, source, left_out(project, Filters(), source)), *said],
    }


def _made(job: Job) -> dict[str, Any]:
    wanted = ExportRequest.from_json(job.data["request"])
    try:
        title = f"{wanted.in_layout.title}, {wanted.in_format.title}"
    except ExportRefused:
        # Requested when the program knew the protocol.
        title = f"{wanted.layout} ({wanted.protocol}), {wanted.in_format.title}"
    return made_file(job, title)
