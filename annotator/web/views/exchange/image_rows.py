"""Import rows about images: choose a file, see what it would store and what is refused, and store it."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotator.exchange.image_row_jobs import request_checking, request_rows_storing, rows_kind
from annotator.exchange.image_rows import RowsKind
from annotator.models import Job, Project, User
from annotator.people.access import project_as_lead
from annotator.web.forms.data_sets import ValuesFileForm
from annotator.web.views.exchange.uploaded_file import reading_of, status_of
from annotator.web.views.idempotency import incomplete_form, key_of_form
from annotator.web.views.pages import form_page
from annotator.web.views.paging import page_of
from annotator.work.jobs import JobRefused

ROWS = 25
FILES = 10


@form_page
def import_rows(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the form and earlier files; on upload, redirect to the job that checks the file."""
    assert isinstance(request.user, User)  # signed in
    project, rows = project_as_lead(request.user, slug), _kind(kind)
    if request.method != "POST":
        return _form_page(request, project, rows, ValuesFileForm())
    form = ValuesFileForm(request.POST, request.FILES)
    job = reading_of(form, partial(request_checking, rows, project=project, actor=request.user))
    return _form_page(request, project, rows, form) if job is None else redirect("job", job.pk)


@form_page
def rows_reading(request: HttpRequest, slug: str, kind: str, pk: int) -> HttpResponse:
    """Show what a file would store, with some of its images; by POST, start storing it."""
    assert isinstance(request.user, User)  # signed in
    project, rows = project_as_lead(request.user, slug), _kind(kind)
    checks = project.jobs.select_related("project").filter(kind=rows.reading, status=Job.Status.DONE)
    reading = get_object_or_404(checks, pk=pk)
    if request.method == "POST":
        return _store(request, rows, reading)
    assert reading.result is not None  # a constraint of the database
    facts = reading.result["rows"]
    rectangles = {UUID(name): found for name, found in facts["shown"]}
    images = {image.public_id: image for image in project.images.filter(public_id__in=rectangles)}
    context = {
        "project": project,
        "section": rows.section,
        "kind": rows,
        "reading": reading,
        "facts": facts,
        "shown": [(images[name], found) for name, found in rectangles.items() if name in images],
        "refused": page_of(request, facts["refused"], ROWS),
        "key": uuid4(),
    }
    return render(request, "annotator/exchange/rows_reading.html", context)


def _store(request: HttpRequest, kind: RowsKind[Any], reading: Job) -> HttpResponse:
    assert isinstance(request.user, User)  # signed in
    key = key_of_form(request)
    if key is None:
        return incomplete_form()
    try:
        job = request_rows_storing(kind, reading=reading, actor=request.user, request_key=key)
    except JobRefused as refused:
        messages.error(request, str(refused), refused.code)
        return redirect("rows_reading", reading.project.slug, kind.slug, reading.pk)
    return redirect("job", job.pk)


def _form_page(
    request: HttpRequest, project: Project, kind: RowsKind[Any], form: ValuesFileForm
) -> HttpResponse:
    checks = project.jobs.filter(kind=kind.reading).order_by("-pk").defer("result")
    context = {
        "project": project,
        "section": kind.section,
        "kind": kind,
        "form": form,
        "page": page_of(request, checks, FILES),
        "key": uuid4(),
    }
    return render(request, "annotator/exchange/import_rows.html", context, status=status_of(form))


def _kind(slug: str) -> RowsKind[Any]:
    try:
        return rows_kind(slug)
    except KeyError as error:
        raise Http404("No such rows.") from error
