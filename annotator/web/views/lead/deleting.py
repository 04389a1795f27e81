"""Delete an image; delete a project, undo that, and inform members in the meantime."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotator.inputs.plain_text import InvalidReason
from annotator.inputs.refusal import as_form_error
from annotator.models import Membership
from annotator.people.access import deletion_as_lead, project_as_lead
from annotator.records.image_deletion import delete_image
from annotator.records.project_deletion import DeletionRefused, delete_project, take_back_project
from annotator.web.forms.deleting import DeleteImageForm, DeleteProjectForm
from annotator.web.views.lead.images import image_page
from annotator.web.views.lead.projects import details_page
from annotator.web.views.pages import SignedIn, post_page

GONE = 410


@post_page
def project_delete(request: SignedIn, slug: str) -> HttpResponse:
    """Delete a project; the home page then says when it is purged."""
    project = deletion_as_lead(request.user, slug)
    if project.goes_at is not None:
        return redirect("home")
    form = DeleteProjectForm(request.POST, use_required_attribute=False)
    if form.is_valid():
        try:
            delete_project(project=project, actor=request.user, **form.cleaned_data)
            return redirect("home")
        except DeletionRefused as refused:
            form.add_error("typed", as_form_error(refused))
        except InvalidReason as refused:
            form.add_error("reason", as_form_error(refused))
    return details_page(request, project, deletion=form)


@post_page
def project_take_back(request: SignedIn, slug: str) -> HttpResponse:
    """Undo the deletion of a project."""
    project = deletion_as_lead(request.user, slug)
    try:
        take_back_project(project=project, actor=request.user)
    except DeletionRefused as refused:
        messages.warning(request, str(refused), refused.code)
        return redirect("home")
    messages.success(request, f"Deletion undone. “{project.name}” is available again.", "taken-back")
    return redirect("project", slug)


def project_being_deleted(request: HttpRequest, member: Membership) -> HttpResponse:
    """Tell a member that the project is being deleted."""
    context = {
        "project": member.project,
        "goes_at": member.project.goes_at,
        "is_lead": member.role == Membership.Role.LEAD,
    }
    return render(request, "annotator/projects/being_deleted.html", context, status=GONE)


@post_page
def image_delete(request: SignedIn, slug: str, public_id: UUID) -> HttpResponse:
    """Delete an image; its page, which a refusal shows here, leads back to its own address."""
    image = get_object_or_404(project_as_lead(request.user, slug).images, public_id=public_id)
    form = DeleteImageForm(request.POST, use_required_attribute=False)
    if form.is_valid():
        try:
            delete_image(image=image, actor=request.user, **form.cleaned_data)
        except DeletionRefused as refused:
            form.add_error("typed", as_form_error(refused))
        except InvalidReason as refused:
            form.add_error("reason", as_form_error(refused))
        else:
            messages.success(request, "Image deleted.", "deleted")
            return redirect("project_images", slug)
    return image_page(request, image, form)
