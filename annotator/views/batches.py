"""How a batch is labelled, for its lead to decide."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotator.access import batch_as_lead
from annotator.assignments import change_batch_settings
from annotator.models import Batch, User


class BatchSettingsForm(forms.Form):
    """The settings as a form."""

    show_prompt = forms.BooleanField(required=False)
    guided = forms.BooleanField(required=False)
    score_shown = forms.ChoiceField(choices=Batch.ScoreShown.choices, widget=forms.RadioSelect)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def batch_settings(request: HttpRequest, pk: int) -> HttpResponse:
    """Show and change how a batch is labelled."""
    assert isinstance(request.user, User)  # signed in
    batch = batch_as_lead(request.user, pk)
    stored = {name: getattr(batch, name) for name in BatchSettingsForm.base_fields}
    form = BatchSettingsForm(request.POST if request.method == "POST" else None, initial=stored)
    if form.is_bound and form.is_valid():
        change_batch_settings(batch=batch, actor=request.user, **form.cleaned_data)
        messages.success(request, f"Settings of “{batch.name}” saved.")
        return redirect("project", batch.project.slug)
    context = {"form": form, "batch": batch, "project": batch.project, "section": "overview"}
    return render(request, "annotator/batch.html", context, status=422 if form.errors else 200)
