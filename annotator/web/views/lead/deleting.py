"""Delete an image; delete a project, undo that, and inform members in the meantime."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotator.annotations.reopening import LONGEST_REASON
from annotator.batches.closing import InvalidReason
from annotator.inputs.refusal import as_form_error
from annotator.models import Assignment, Image, Membership, Project
from annotator.people.access import deletion_as_lead, image_deletion_as_lead
from annotator.records.image_deletion import delete_image, goes_with
from annotator.records.project_deletion import (
    DeletionRefused,
    contents_of,
    delete_project,
    end_of_grace,
    take_back_project,
)
from annotator.web.views.pages import SignedIn, form_page, post_page

GONE = 410


class DeleteImageForm(forms.Form):
    """The reason for deleting an image."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "Enter a reason. It is saved in the project’s history."},
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class DeleteProjectForm(DeleteImageForm):
    """The name of the project, for confirmation, and the reason."""

    field_order = ("typed", "reason")

    typed = forms.CharField(
        label="Project name",
        max_length=200,
        error_messages={"required": "Type the project’s name to confirm the deletion."},
        widget=forms.TextInput({"autocomplete": "off"}),
    )


@form_page
def project_delete(request: SignedIn, slug: str) -> HttpResponse:
    """Show what is deleted with a project, and delete it; afterwards show when it is purged."""
    project = deletion_as_lead(request.user, slug)
    if project.goes_at is not None:
        return _page(request, project)
    if request.method != "POST":
        return _page(request, project, DeleteProjectForm(use_required_attribute=False))
    form = DeleteProjectForm(request.POST, use_required_attribute=False)
    if form.is_valid():
        try:
            delete_project(project=project, actor=request.user, **form.cleaned_data)
            return redirect("project_delete", slug)
        except DeletionRefused as refused:
            form.add_error("typed", as_form_error(refused))
        except InvalidReason as refused:
            form.add_error("reason", as_form_error(refused))
    return _page(request, project, form, status=422)


@post_page
def project_take_back(request: SignedIn, slug: str) -> HttpResponse:
    """Undo the deletion of a project."""
    project = deletion_as_lead(request.user, slug)
    try:
        take_back_project(project=project, actor=request.user)
    except DeletionRefused as refused:
        messages.warning(request, str(refused), refused.code)
        return redirect("project_delete", slug)
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


def being_deleted(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Tell an annotator that an assigned image is deleted, or its project being deleted."""
    project = assignment.batch.project
    if project.goes_at is not None:
        return project_being_deleted(request, assignment.annotator)
    context = {"project": project, "image": assignment.image}
    return render(request, "annotator/projects/being_deleted.html", context, status=GONE)


def _page(
    request: SignedIn, project: Project, form: DeleteProjectForm | None = None, status: int = 200
) -> HttpResponse:
    context = {
        "project": project,
        "section": "overview",
        "form": form,
        "counts": contents_of(project),
        "days": settings.DELETION_GRACE_DAYS,
        "until": project.goes_at or end_of_grace(),
    }
    return render(request, "annotator/projects/project_delete.html", context, status=status)


@form_page
def image_delete(request: SignedIn, slug: str, public_id: UUID) -> HttpResponse:
    """Show what is deleted with an image, and delete it."""
    image = image_deletion_as_lead(request.user, slug, public_id)
    if image.goes_at is not None:
        return redirect("project_images", slug)
    if request.method != "POST":
        return _images_page(request, image, DeleteImageForm(use_required_attribute=False))
    form = DeleteImageForm(request.POST, use_required_attribute=False)
    if form.is_valid():
        try:
            delete_image(image=image, actor=request.user, **form.cleaned_data)
        except (InvalidReason, DeletionRefused) as refused:
            form.add_error("reason", as_form_error(refused))
        else:
            messages.success(request, "Image deleted.", "deleted")
            return redirect("project_images", slug)
    return _images_page(request, image, form, status=422)


def _images_page(request: SignedIn, image: Image, form: DeleteImageForm, status: int = 200) -> HttpResponse:
    context = {
        "project": image.project,
        "section": "images",
        "image": image,
        "with": goes_with(image),
        "form": form,
    }
    return render(request, "annotator/images/image_delete.html", context, status=status)
