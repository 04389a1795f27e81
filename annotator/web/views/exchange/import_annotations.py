"""Import annotations made elsewhere: upload a file, check and repair it, store it once the lead confirms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django_htmx.middleware import HtmxDetails

from annotator.exchange.import_jobs import (
    READ,
    repair,
    repairs_of,
    request_reading,
    request_storing,
    suggestions_of,
)
from annotator.models import Job, Project, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.people.access import project_as_lead
from annotator.people.personal_codes import looks_personal
from annotator.web.forms.import_annotations import AnnotationFileForm, CellForm
from annotator.web.views.exchange.uploaded_file import reading_of, status_of
from annotator.web.views.idempotency import incomplete_form, key_of_form
from annotator.web.views.pages import form_page
from annotator.web.views.paging import page_of
from annotator.work.jobs import JobRefused
from scoring.service import get_protocol

ROWS: Final = 25
FILES: Final = 10


@form_page
def import_annotations(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form and earlier files; on upload, redirect to the job that reads the file."""
    assert isinstance(request.user, User)  # signed in
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        asked = {"origin": request.GET.get("as", "")}
        for slug in request.GET.getlist("protocol")[:1]:
            asked["protocol"] = slug
        return _files_page(request, project, AnnotationFileForm(project, initial=asked))
    form = AnnotationFileForm(project, request.POST, request.FILES)
    job = reading_of(form, partial(request_reading, project=project, actor=request.user))
    return _files_page(request, project, form) if job is None else redirect("job", job.pk)


@form_page
def import_reading(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the contents of a file; accept repairs, or start storing it."""
    assert isinstance(request.user, User)  # signed in
    project = project_as_lead(request.user, slug)
    reading = get_object_or_404(
        project.jobs.select_related("project"), pk=pk, kind=READ, status=Job.Status.DONE
    )
    if request.method != "POST":
        return _reading_page(request, reading)
    act = request.POST.get("action", "")
    if act == "store":
        return _store(request, reading, request.user)
    if act == "kind":
        repair(reading=reading, repairs=suggestions_of(reading, {request.POST.get("kind", "")}))
        return redirect(_here(request, reading))
    if act in {"edit", "undo"}:
        return _edit(request, reading, act)
    return HttpResponseBadRequest("The form names no action.", content_type="text/plain")


def _store(request: HttpRequest, reading: Job, actor: User) -> HttpResponse:
    key = key_of_form(request)
    if key is None:
        return incomplete_form()
    try:
        job = request_storing(reading=reading, actor=actor, request_key=key)
    except JobRefused as refused:
        messages.error(request, str(refused), refused.code)
        return redirect(_here(request, reading))
    return redirect("job", job.pk)


def _edit(request: HttpRequest, reading: Job, act: str) -> HttpResponse:
    form = CellForm(request.POST)
    valid = form.is_valid()
    place = (form.cleaned_data.get("row"), form.cleaned_data.get("column"))
    found = next((each for each in _facts(reading)["cells"] if (each["row"], each["column"]) == place), None)
    if found is None:
        raise Http404("No such cell in this file.")
    if not valid and act == "edit":
        cell = _cell(found, repairs_of(reading), form)
        return _answer(request, reading, cell, status=422)
    text = form.cleaned_data["text"] if act == "edit" else None
    changed = repair(reading=reading, repairs={(found["row"], found["column"]): text})
    if not HtmxDetails(request):
        return redirect(f"{_here(request, reading)}#cells")
    changed.project = reading.project
    return _answer(request, changed, _cell(found, repairs_of(changed)))


def _answer(request: HttpRequest, reading: Job, cell: dict[str, Any], status: int = 200) -> HttpResponse:
    """Return one cell for an htmx request, otherwise the page."""
    if not HtmxDetails(request):
        return _reading_page(request, reading, cell, status=status)
    context = {"project": reading.project, "reading": reading, "cell": cell, "query": request.GET.urlencode()}
    return render(request, "annotator/exchange/import_cell.html", context, status=status)


def _here(request: HttpRequest, reading: Job) -> str:
    address = reverse("import_reading", args=[reading.project.slug, reading.pk])
    return f"{address}?{request.GET.urlencode()}" if request.GET else address


def _facts(reading: Job) -> dict[str, Any]:
    assert reading.result is not None  # a constraint of the database
    facts: dict[str, Any] = reading.result["reading"]
    return facts


def _cell(
    found: Mapping[str, Any], repairs: Mapping[tuple[int, str], str], form: CellForm | None = None
) -> dict[str, Any]:
    repaired = repairs.get((found["row"], found["column"]))
    shown = found["suggested"] if repaired is None else repaired
    errors = [str(error) for error in form.errors.get("text", ())] if form is not None else []
    if form is not None:
        shown = form.data.get("text", "")
    return {**found, "repaired": repaired, "shown": shown, "errors": errors}


def _reading_page(
    request: HttpRequest, reading: Job, edited: dict[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    facts, repairs = _facts(reading), repairs_of(reading)
    page = page_of(request, facts["cells"], ROWS)
    cells = [_cell(found, repairs) for found in page]
    if edited is not None:
        same = (edited["row"], edited["column"])
        cells = [edited if (cell["row"], cell["column"]) == same else cell for cell in cells]
    context = {
        "project": reading.project,
        "section": "overview",
        "reading": reading,
        "protocol": get_protocol(reading.data.get("protocol", DEFAULT_PROTOCOL)),
        "facts": facts,
        "cells": cells,
        "page": page,
        "repaired": len(repairs),
        "personal": [code for code in facts["newcomers"] if looks_personal(code)],
        "refused": page_of(request, facts["refused"], ROWS, name="refused"),
        "warnings": page_of(request, facts["warnings"], ROWS, name="warnings"),
        "query": request.GET.urlencode(),
        "key": uuid4(),
    }
    return render(request, "annotator/exchange/import_reading.html", context, status=status)


def _files_page(request: HttpRequest, project: Project, form: AnnotationFileForm) -> HttpResponse:
    jobs = project.jobs.filter(kind=READ).order_by("-pk").defer("result")
    context = {
        "project": project,
        "section": "overview",
        "form": form,
        "key": uuid4(),
        "page": page_of(request, jobs, FILES),
    }
    return render(request, "annotator/exchange/import_annotations.html", context, status=status_of(form))
