"""Create a project; what it contains, and its import problems, for its leads."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from annotator.annotations.unreadable import annotations_with_problems
from annotator.gallery.filters import has_severities
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.people.access import project_as_lead
from annotator.people.codes import PersonRefused
from annotator.projects import overview
from annotator.projects.creation import create_project, may_create_projects, slug_of
from annotator.projects.protocols import MEASURES, measured, protocols_for, protocols_of, set_protocols
from annotator.projects.tags import LONGEST, MOST, TagsRefused, set_tags, tags_of
from annotator.records.project_deletion import contents_of, end_of_grace
from annotator.web.views.pages import SignedIn, form_page, page_of, safe_page
from scoring.service import PROTOCOLS

ROWS = 20


@form_page
def project_details(request: SignedIn, slug: str) -> HttpResponse:
    """Show a project's size and its settings.

    Saves what is measured, and the tags; one that annotators have ticked goes only if that is confirmed.
    """
    led = project_as_lead(request.user, slug)
    if request.POST.get("action") == "protocols":
        changed = set_protocols(led, request.POST.getlist("protocol"), request.user)
        messages.success(request, "Saved." if changed else "No changes.", "protocols-saved")
        return redirect("project_details", slug)
    if request.method == "POST":
        sent = request.POST
        names = {number: sent.get(f"tag-{number}", name) for number, name in tags_of(led).items()}
        new, confirmed = sent.getlist("new"), "confirmed" in sent
        try:
            changed = set_tags(project=led, names=names, new=new, actor=request.user, confirmed=confirmed)
            messages.success(request, "Tags saved." if changed else "No changes.", "tags-saved")
        except TagsRefused as refused:
            messages.error(request, f"Not saved. {refused}", refused.code)
        return redirect("project_details", slug)
    tags = [(f"tag-{number}", name) for number, name in tags_of(led).items()]
    ticked, used = measured(led), protocols_of(led)
    context = {
        "project": led,
        "section": "overview",
        "counts": overview.project_counts(led),
        "problems": annotations_with_problems(led).count(),
        "weighted": _is_weighted(ticked),
        "protocols": [(protocol, slug in ticked, slug in used) for slug, protocol in PROTOCOLS.items()],
        "tags": [*tags, *[("new", "")] * (MOST - len(tags))],
        "removable": bool(tags),
        "longest": LONGEST,
        "goes": contents_of(led),
        "days": settings.DELETION_GRACE_DAYS,
        "until": end_of_grace(),
    }
    return render(request, "annotator/projects/project_details.html", context)


def _is_weighted(measures: list[str]) -> bool:
    """Return whether the severity weights concern a project; if nobody was asked, they may."""
    slugs = measures or [DEFAULT_PROTOCOL]
    return any(has_severities(PROTOCOLS[slug]) for slug in slugs if slug in PROTOCOLS)


@safe_page
def project_problems(request: SignedIn, slug: str) -> HttpResponse:
    """List the terms that the import could not read, with row and column."""
    led = project_as_lead(request.user, slug)
    annotations = page_of(request, annotations_with_problems(led), ROWS)
    context = {"project": led, "section": "review", "annotations": annotations}
    return render(request, "annotator/exchange/import_problems.html", context)


class ProjectForm(forms.Form):
    """The data of a new project; the services validate the address and the code."""

    name = forms.CharField(
        max_length=120,
        error_messages={
            "required": "Enter a name.",
            "max_length": "The name has at most 120 characters.",
        },
    )
    slug = forms.CharField(required=False)
    measure = forms.ChoiceField(
        choices=[(name, measure.title) for name, measure in MEASURES.items()],
        error_messages={"required": "Choose what you measure.", "invalid_choice": "Choose one of these."},
    )
    code = forms.CharField(strip=True, error_messages={"required": "Enter your code."})
    # Created with the page, so that a second click finds the project of the first one.
    request_key = forms.UUIDField()

    def clean(self) -> dict[str, Any]:
        """Derive the address from the name if it is empty."""
        said: dict[str, Any] = self.cleaned_data
        if "name" in said and not said.get("slug"):
            said["slug"] = slug_of(said["name"])
            if not said["slug"]:
                self.add_error("slug", "Enter an address in Latin letters: the name has none.")
        return said


@form_page
def project_new(request: SignedIn) -> HttpResponse:
    """Show the form; after creating the project, redirect to its uploads."""
    if not may_create_projects(request.user):
        raise Http404("This account may not create projects.")
    data = request.POST if request.method == "POST" else None
    form = ProjectForm(data, initial={"code": "lead", "measure": DEFAULT_PROTOCOL})
    if not form.is_valid():
        return _page(request, form)
    said = form.cleaned_data
    try:
        project = create_project(
            name=said["name"],
            slug=said["slug"],
            code=said["code"],
            actor=request.user,
            protocols=protocols_for(said["measure"]),
            request_key=said["request_key"],
        )
    except forms.ValidationError as refused:
        form.add_error(None, refused)
    except PersonRefused as refused:
        form.add_error(refused.field if refused.field in form.fields else None, str(refused))
    else:
        return redirect("project", project.slug)
    return _page(request, form)


def _page(request: SignedIn, form: ProjectForm) -> HttpResponse:
    context = {
        "form": form,
        "key": form.data.get("request_key") or uuid4(),
        "measures": MEASURES,
    }
    status = 422 if form.errors else 200
    return render(request, "annotator/projects/project_new.html", context, status=status)
