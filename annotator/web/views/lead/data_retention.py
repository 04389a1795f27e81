"""Data retention of a project: retention periods, deleted images, and deletion of the project."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotator.inputs.numbers import IntegerField
from annotator.models import Project, User
from annotator.people.access import project_as_lead
from annotator.records.image_deletion import deleted_images
from annotator.records.retention import EXPORT_DAYS, MOST_DAYS, retention_of, set_retention
from annotator.web.views.pages import form_page
from annotator.web.views.paging import page_of

SHOWN = 20


class RetentionForm(forms.Form):
    """Retention periods in days; an empty period is unlimited."""

    left_days = IntegerField(min_value=1, max_value=MOST_DAYS, required=False)
    invitation_days = IntegerField(min_value=1, max_value=MOST_DAYS, required=False)
    export_days = IntegerField(min_value=1, max_value=EXPORT_DAYS)


@form_page
def keeping(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and save the retention periods of personal data, and list deleted images."""
    assert isinstance(request.user, User)  # signed in
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return _page(request, project, RetentionForm(initial=retention_of(project)))
    form = RetentionForm(request.POST, use_required_attribute=False)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    wanted: dict[str, Any] = form.cleaned_data
    if set_retention(project=project, wanted=wanted, actor=request.user):
        messages.success(request, "Retention periods saved. Deletion runs every night.", "stored")
    else:
        messages.info(request, "No changes.", "unchanged")
    return redirect("keeping", slug)


def _page(request: HttpRequest, project: Project, form: RetentionForm, status: int = 200) -> HttpResponse:
    context = {
        "project": project,
        "section": "overview",
        "form": form,
        "most": MOST_DAYS,
        "export_days": EXPORT_DAYS,
        "page": page_of(request, deleted_images(project), SHOWN),
    }
    return render(request, "annotator/projects/data_retention.html", context, status=status)
