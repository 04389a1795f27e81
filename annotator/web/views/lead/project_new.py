"""Create a project."""

from __future__ import annotations

from uuid import uuid4

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotator.models import User
from annotator.people.codes import PersonRefused
from annotator.people.personal_codes import looks_personal, personal_warning
from annotator.projects.creation import ProjectRefused, create_project, may_create_projects
from annotator.web.forms.projects import ProjectForm
from annotator.web.views.uploads.uploads import restores_bundles


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def project_new(request: HttpRequest) -> HttpResponse:
    """Show the form; after creating the project, redirect to its uploads."""
    assert isinstance(request.user, User)  # signed in
    if not may_create_projects(request.user):
        raise Http404("This account may not create projects.")
    if request.method != "POST":
        form = ProjectForm(initial={"code": "lead", "first": "images"})
        return _page(request, form)
    form = ProjectForm(request.POST)
    if not form.is_valid():
        return _page(request, form)
    said = form.cleaned_data
    names = (request.user.username, request.user.first_name, request.user.last_name)
    found = looks_personal(said["code"], names)
    if found and request.POST.get("keep_code") != said["code"]:
        return _page(request, form, personal_warning(said["code"], found))
    try:
        project = create_project(
            name=said["name"],
            slug=said["slug"],
            code=said["code"],
            actor=request.user,
            request_key=said["request_key"],
        )
    except (ProjectRefused, PersonRefused) as refused:
        form.add_error(refused.field if refused.field in form.fields else None, str(refused))
        return _page(request, form)
    if said["first"] == "bundle":
        return redirect(f"{reverse('uploads', args=[project.slug])}?bring=bundle")
    return redirect("project", project.slug)


def _page(request: HttpRequest, form: ProjectForm, looks: str = "") -> HttpResponse:
    context = {"form": form, "key": form.data.get("request_key") or uuid4(), "bundles": restores_bundles()}
    context["looks_personal"] = looks
    return render(request, "annotator/project_new.html", context, status=422 if form.errors or looks else 200)
