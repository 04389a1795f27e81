"""Import a file: choose it, see what it would store and what is refused, and store it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotator.exchange.annotation_files import ANNOTATIONS, STORED, TERMS
from annotator.exchange.face_rows import FACES
from annotator.exchange.image_rows import RowsKind
from annotator.exchange.import_jobs import request_reading, request_storing, rows_kind
from annotator.exchange.suggestion_rows import SUGGESTIONS
from annotator.inputs.refusal import as_form_error
from annotator.models import Job, Project, User
from annotator.people.access import project_as_lead
from annotator.web.forms.importing import (
    AnnotationFileForm,
    FacesFileForm,
    RowsFileForm,
    SuggestionsFileForm,
)
from annotator.web.views.pages import SignedIn, form_page, incomplete_form, key_of_form, page_of
from annotator.work.jobs import JobRefused
from scoring.service import get_protocol

ROWS: Final = 25
FILES: Final = 10


@form_page
def import_rows(request: SignedIn, slug: str, kind: str) -> HttpResponse:
    """Show the form and earlier files; on upload, redirect to the job that checks the file."""
    project, rows = project_as_lead(request.user, slug), _kind(kind)
    form_of = _forms(project).get(rows.slug, RowsFileForm)
    if request.method != "POST":
        asked = {"origin": request.GET.get("as", ""), "protocol": request.GET.get("protocol")}
        return _form_page(request, project, rows, form_of(initial=asked))
    form = form_of(request.POST, request.FILES)
    job = _reading(form, rows, project, request.user)
    return _form_page(request, project, rows, form) if job is None else redirect("job", job.pk)


@form_page
def rows_reading(request: SignedIn, slug: str, kind: str, pk: int) -> HttpResponse:
    """Show what a file would store, with some of its images; by POST, start storing it."""
    project, rows = project_as_lead(request.user, slug), _kind(kind)
    checks = project.jobs.select_related("project").filter(kind=rows.reading, status=Job.Status.DONE)
    reading = get_object_or_404(checks, pk=pk)
    if request.method == "POST":
        return _store(request, rows, reading)
    assert reading.result is not None  # a constraint of the database
    facts = reading.result["rows"]
    previewed = {UUID(name): found for name, found in facts["shown"]}
    images = {image.public_id: image for image in project.images.filter(public_id__in=previewed)}
    counts = dict(facts["counts"])
    rejected = counts["Rejected rows"]
    lists = [["Rejected rows", rejected, facts["refused"]], *facts["remarks"]]
    context = {
        "project": project,
        "section": rows.section,
        "kind": rows,
        "reading": reading,
        "protocol": get_protocol(reading.data["protocol"]) if "protocol" in reading.data else None,
        "facts": facts,
        "has_unread_terms": TERMS in counts,
        "new": None if facts["accepted"] is None else facts["accepted"] - counts.get(STORED, 0),
        "shown": [(images[name], found) for name, found in previewed.items() if name in images],
        "lists": [
            (title, count, len(notes), page_of(request, notes, ROWS, name=f"list-{place}"))
            for place, (title, count, notes) in enumerate(lists)
            if notes
        ],
        "key": uuid4(),
    }
    return render(request, "annotator/exchange/rows_reading.html", context)


def _reading(form: forms.Form, kind: RowsKind[Any], project: Project, actor: User) -> Job | None:
    """Request the reading of a form's `file`; None, with errors on the form, if it is refused."""
    if not form.is_valid():
        return None
    said = dict(form.cleaned_data)
    file = said.pop("file")
    try:
        return request_reading(
            project=project, name=file.name, contents=file.read(), actor=actor, kind=kind, **said
        )
    except JobRefused as refused:
        form.add_error(None, as_form_error(refused))
    except OSError as error:
        words = f"The file could not be stored: {error.strerror or error}. Upload it again later."
        form.add_error("file", forms.ValidationError(words, "not_kept"))
    return None


def _store(request: SignedIn, kind: RowsKind[Any], reading: Job) -> HttpResponse:
    key = key_of_form(request)
    if key is None:
        return incomplete_form()
    try:
        job = request_storing(reading=reading, actor=request.user, request_key=key, kind=kind)
    except JobRefused as refused:
        messages.error(request, str(refused), refused.code)
        return redirect("rows_reading", reading.project.slug, kind.slug, reading.pk)
    return redirect("job", job.pk)


def _form_page(request: SignedIn, project: Project, kind: RowsKind[Any], form: forms.Form) -> HttpResponse:
    checks = project.jobs.filter(kind=kind.reading).order_by("-pk").defer("result")
    context = {
        "project": project,
        "section": kind.section,
        "kind": kind,
        "form": form,
        "page": page_of(request, checks, FILES),
        "key": uuid4(),
    }
    return render(request, "annotator/exchange/import_rows.html", context, status=422 if form.errors else 200)


def _forms(project: Project) -> dict[str, Callable[..., forms.Form]]:
    """Return the forms of the kinds that ask for more than a file."""
    return {
        ANNOTATIONS.slug: partial(AnnotationFileForm, project),
        FACES.slug: FacesFileForm,
        SUGGESTIONS.slug: partial(SuggestionsFileForm, project),
    }


def _kind(slug: str) -> RowsKind[Any]:
    try:
        return rows_kind(slug)
    except KeyError as error:
        raise Http404("No such rows.") from error
