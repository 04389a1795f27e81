"""Delete an image, and undo the deletion."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotator.annotations.reopening import LONGEST_REASON
from annotator.batches.closing import InvalidReason
from annotator.inputs.refusal import as_form_error
from annotator.models import Image, User
from annotator.people.access import image_deletion_as_lead
from annotator.records.image_deletion import delete_image, goes_with, take_back_image
from annotator.records.project_deletion import DeletionRefused, end_of_grace


class DeleteImageForm(forms.Form):
    """The reason for deleting an image."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "Enter a reason. It is stored in the project’s history."},
        widget=forms.Textarea(attrs={"rows": 2}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def image_delete(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show what is deleted with an image, and delete it."""
    assert isinstance(request.user, User)  # signed in
    image = image_deletion_as_lead(request.user, slug, public_id)
    if image.goes_at is not None:
        return redirect("keeping", slug)
    if request.method != "POST":
        return _page(request, image, DeleteImageForm(use_required_attribute=False))
    form = DeleteImageForm(request.POST, use_required_attribute=False)
    if form.is_valid():
        try:
            delete_image(image=image, actor=request.user, **form.cleaned_data)
        except (InvalidReason, DeletionRefused) as refused:
            form.add_error("reason", as_form_error(refused))
        else:
            messages.success(
                request, "Image deleted. You can undo the deletion here until the image is purged.", "deleted"
            )
            return redirect("keeping", slug)
    return _page(request, image, form, status=422)


@require_POST
@login_required
def image_take_back(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Undo the deletion of an image and its annotations."""
    assert isinstance(request.user, User)  # signed in
    image = image_deletion_as_lead(request.user, slug, public_id)
    try:
        image, left = take_back_image(image=image, actor=request.user)
    except DeletionRefused as refused:
        messages.warning(request, str(refused), refused.code)
        return redirect("keeping", slug)
    messages.success(request, "Deletion undone. The image and its annotations are restored.", "taken-back")
    if left:
        messages.warning(
            request,
            f"Open assignments not restored: {left}. Their annotators have left the batch. "
            "Change the batch’s annotators to reassign the image.",
        )
    return redirect("image_detail", slug, image.public_id)


def _page(request: HttpRequest, image: Image, form: DeleteImageForm, status: int = 200) -> HttpResponse:
    context = {
        "project": image.project,
        "section": "images",
        "image": image,
        "with": goes_with(image),
        "form": form,
        "days": settings.DELETION_GRACE_DAYS,
        "until": end_of_grace(),
    }
    return render(request, "annotator/image_delete.html", context, status=status)
