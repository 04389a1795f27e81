"""Import rectangles around faces: upload a file, see what it decides, store it."""

from __future__ import annotations

from functools import partial
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotator.exchange.face_jobs import request_checking, request_face_storing
from annotator.exchange.import_jobs import FACES
from annotator.models import Job, Project, User
from annotator.people.access import project_as_lead
from annotator.protocols.registry import blurring_faces
from annotator.web.forms.data_sets import ValuesFileForm
from annotator.web.views.exchange.uploaded_file import reading_of, status_of
from annotator.web.views.idempotency import incomplete_form, key_of_form
from annotator.web.views.pages import form_page
from annotator.web.views.paging import page_of
from annotator.work.jobs import JobRefused

ROWS = 25
FILES = 10


@form_page
def faces_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form and earlier files; on upload, redirect to the job that checks the file."""
    assert isinstance(request.user, User)  # signed in
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return _form_page(request, project, ValuesFileForm())
    form = ValuesFileForm(request.POST, request.FILES)
    job = reading_of(form, partial(request_checking, project=project, actor=request.user))
    return _form_page(request, project, form) if job is None else redirect("job", job.pk)


@form_page
def faces_reading(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show what a file decides, with some of its images; by POST, start storing it."""
    assert isinstance(request.user, User)  # signed in
    project = project_as_lead(request.user, slug)
    found = project.jobs.select_related("project")
    reading = get_object_or_404(found, pk=pk, kind=FACES, status=Job.Status.DONE)
    if request.method == "POST":
        return _store(request, reading)
    assert reading.result is not None  # a constraint of the database
    facts = reading.result["faces"]
    rectangles = {UUID(name): found for name, found in facts["shown"]}
    images = {image.public_id: image for image in project.images.filter(public_id__in=rectangles)}
    context = {
        "project": project,
        "section": "images",
        "reading": reading,
        "facts": facts,
        "shown": [(images[name], found) for name, found in rectangles.items() if name in images],
        "refused": page_of(request, facts["refused"], ROWS),
        "key": uuid4(),
    }
    return render(request, "annotator/faces/reading.html", context)


def _store(request: HttpRequest, reading: Job) -> HttpResponse:
    assert isinstance(request.user, User)  # signed in
    key = key_of_form(request)
    if key is None:
        return incomplete_form()
    try:
        job = request_face_storing(reading=reading, actor=request.user, request_key=key)
    except JobRefused as refused:
        messages.error(request, str(refused), refused.code)
        return redirect("faces_reading", reading.project.slug, reading.pk)
    return redirect("job", job.pk)


def _form_page(request: HttpRequest, project: Project, form: ValuesFileForm) -> HttpResponse:
    context = {
        "project": project,
        "section": "images",
        "form": form,
        "blurs_faces": blurring_faces(),
        "page": page_of(request, project.jobs.filter(kind=FACES).order_by("-pk").defer("result"), FILES),
        "key": uuid4(),
    }
    return render(request, "annotator/faces/import.html", context, status=status_of(form))
