"""A lead's rating forms: the list, and the builder."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotator.models import Annotation, Image, Project, RatingForm
from annotator.people.access import membership_of, project_as_lead
from annotator.protocols import rating_form as family
from annotator.protocols.rating_form.checking import KINDS, FormDraft, draft_of_file, typed
from annotator.protocols.rating_form.form import form_class
from annotator.protocols.rating_form.stored import FormRefused, save_form, uses_of
from annotator.protocols.registry import page_of
from annotator.web.views.pages import SignedIn, form_page, safe_page
from annotator.web.views.protocol_choice import chosen_protocol
from scoring.protocol import InvalidPayload
from scoring.service import get_protocol

_TEMPLATES: Final = Path(family.__file__).with_name("templates.json")


@cache
def templates() -> dict[str, dict[str, Any]]:
    """Return the definitions that a form can start from, by name: published schemes in our words."""
    return {form["name"]: form for form in json.loads(_TEMPLATES.read_text(encoding="utf-8"))}


@safe_page
def rating_forms(request: SignedIn, slug: str) -> HttpResponse:
    """List the forms of a project, and what a new one can start from."""
    project = project_as_lead(request.user, slug)
    uses = uses_of(project)
    rows = [(row, uses.get(row.slug, "")) for row in project.rating_forms.all()]
    return _page(request, project, "rating_forms", {"rows": rows, "starts": templates().values()})


@form_page
def rating_form_new(request: SignedIn, slug: str) -> HttpResponse:
    """Build a form from nothing, from `?template=`, or from a JSON file."""
    project = project_as_lead(request.user, slug)
    start = request.GET.get("template", "")
    if start and start not in templates():
        raise Http404("No such template.")
    return _build(request, project, FormDraft(typed(templates()[start]) if start else {}), None)


@form_page
def rating_form(request: SignedIn, slug: str, form: str) -> HttpResponse:
    """Change a form, or make a second one if it is used; `?json` downloads its definition."""
    project = project_as_lead(request.user, slug)
    row = get_object_or_404(project.rating_forms.all(), slug=form)
    if "json" in request.GET:
        named = {"Content-Disposition": f'attachment; filename="{row.slug}.json"'}
        return JsonResponse(
            row.definition, headers=named, json_dumps_params={"indent": 1, "ensure_ascii": False}
        )
    if request.POST.get("action") in {"retire", "offer"}:
        project.rating_forms.filter(pk=row.pk).update(retired=request.POST["action"] == "retire")
        return redirect("rating_forms", project.slug)
    return _build(request, project, FormDraft(typed(row.definition)), row)


@form_page
def rating_form_try(request: SignedIn, slug: str, form: str) -> HttpResponse:
    """Answer a form about one of the project's images, as annotators would without script; stores nothing."""
    project = project_as_lead(request.user, slug)
    row = get_object_or_404(project.rating_forms.all(), slug=form)
    protocol = get_protocol(row.slug)
    asked = page_of(row.slug).form(request.POST or None, stored=protocol.empty())
    result = None
    if request.method == "POST" and asked.is_valid():
        try:
            result = asked.result(protocol.clean(asked.payload()).payload())
        except InvalidPayload as refused:
            asked.refuse(refused.errors)
    image = project.images.filter(display_state=Image.DisplayState.READY).first()
    context = {"row": row, "form": asked, "result": result, "image": image, "request_key": uuid4()}
    return _page(request, project, "rating_form_try", context, 422 if asked.errors else 200)


def _build(request: SignedIn, project: Project, draft: FormDraft, row: RatingForm | None) -> HttpResponse:
    """Show the builder; every button is a submission that keeps what was typed."""
    verb, _, target = request.POST.get("action", "").partition(" ")
    checked, faults = verb == "save", []
    try:
        if request.method == "POST":
            draft = FormDraft(request.POST)
        if verb == "file":  # if it is refused, what was typed stays
            sent = request.FILES.get("file")
            draft = draft_of_file(sent.read() if sent else b"")
        draft.change(verb, target)
        if checked and (definition := draft.definition()):
            stored = save_form(project, definition, membership_of(request.user, project.slug), row)
            messages.success(request, f"Saved “{definition.title}”. New batches can use it.", "saved")
            return redirect("rating_form", project.slug, stored.slug)
    except FormRefused as refused:
        checked, faults = True, [str(refused)]
    shown = draft.definition()
    wrong = [key for key, form in draft.items.items() if form.errors] if checked else []
    draft.open = wrong[0] if wrong else draft.open
    batches = project.batches.filter(protocol=row.slug if row else "")
    submitted = Annotation.objects.filter(status=Annotation.Status.SUBMITTED)
    context = {
        "row": row,
        "used": uses_of(project).get(row.slug, "") if row else "",
        "annotations": submitted.filter(assignment__batch__in=batches).count(),
        "draft": draft,
        "checked": checked,
        "faults": faults or draft.refused,
        "wrong": wrong,
        "kinds": KINDS.items(),
        "shown": form_class(shown)(stored={}) if shown else None,
    }
    return _page(request, project, "rating_form", context, 422 if checked else 200)


def _page(
    request: SignedIn, project: Project, name: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    about = {"project": project, "section": "guideline", "chosen": chosen_protocol(request, project)}
    return render(request, f"annotator/guideline/{name}.html", about | context, status=status)
