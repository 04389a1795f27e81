"""One annotation, read-only: for leads with its history, and for its annotator."""

from __future__ import annotations

from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotator.annotations.locking import Bar, bar_shown
from annotator.annotations.reopening import reopen_for_annotator
from annotator.annotations.versioned_changes import Conflict
from annotator.inputs.numbers import IntegerField
from annotator.inputs.plain_text import LONGEST_REASON
from annotator.models import Annotation, Event
from annotator.people.access import annotation_as_lead, assignment_for
from annotator.protocols.became import what_became
from annotator.web.views.annotation_details import capture_rows, details_of, state_of
from annotator.web.views.lead.deleting import being_deleted
from annotator.web.views.lead.history import rows_of
from annotator.web.views.pages import SignedIn, form_page, page_of, safe_page
from scoring.protocol import InvalidPayload

EVENTS_SHOWN = 20


class ReopenForm(forms.Form):
    """The reason for returning an annotation to its annotator."""

    version = IntegerField(min_value=1, widget=forms.HiddenInput)
    request_key = forms.UUIDField(widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "Enter a reason. It is saved with the annotation."},
        widget=forms.Textarea(attrs={"rows": 2}),
    )


@form_page
def annotation(request: SignedIn, pk: int) -> HttpResponse:
    """Show one annotation to a lead, who can return it to its annotator with a reason."""
    shown = annotation_as_lead(request.user, pk)
    initial = {"version": shown.version, "request_key": uuid4()}
    data = request.POST if request.method == "POST" else None
    form = ReopenForm(data, initial=initial, use_required_attribute=False)
    if not form.is_valid():
        return _page(request, shown, form)
    return _reopen(request, shown, form)


@safe_page
def own_answer(request: SignedIn, pk: int) -> HttpResponse:
    """Show an annotator's own annotation, even if the batch is closed or the image was reassigned."""
    assignment = assignment_for(request.user, pk)
    if bar_shown(assignment, None) == Bar.DELETED:
        return being_deleted(request, assignment)
    stored = get_object_or_404(Annotation, assignment=assignment)
    stored.assignment = assignment
    context = {
        "project": assignment.batch.project,
        "assignment": assignment,
        "reading": details_of(stored),
        "state": state_of(assignment, stored),
        "bar": bar_shown(assignment, stored),
        "became": what_became(assignment, stored),
    }
    return render(request, "annotator/annotations/own_annotation.html", context)


def _reopen(request: SignedIn, shown: Annotation, form: ReopenForm) -> HttpResponse:
    # Reopen only the version the lead has read; a newer one is a conflict.
    said = {**form.cleaned_data}
    shown.version = said.pop("version")
    try:
        reopen_for_annotator(annotation=shown, actor=request.user, **said)
    except InvalidPayload as refused:
        for texts in refused.errors.values():
            form.add_error("reason", texts)
        return _page(request, annotation_as_lead(request.user, shown.pk), form)
    except Conflict:
        messages.warning(
            request, "Not reopened: the annotation has changed. Check it and try again.", "changed"
        )
        return redirect("annotation", shown.pk)
    messages.success(request, f"Reopened for {shown.assignment.annotator.code}.")
    return redirect("annotation", shown.pk)


def _page(request: SignedIn, shown: Annotation, form: ReopenForm) -> HttpResponse:
    assignment = shown.assignment
    events = Event.objects.filter(assignment=assignment).select_related("actor")
    page = page_of(request, events.order_by("-pk"), EVENTS_SHOWN)
    context = {
        "project": assignment.batch.project,
        "batch": assignment.batch,
        "section": "batches",
        "assignment": assignment,
        "image": assignment.image,
        "reading": details_of(shown),
        "state": state_of(assignment, shown),
        "capture": capture_rows(shown),
        "page": page,
        "history": rows_of(assignment.batch.project, list(page)),
        "form": form,
        "reopenable": shown.status == Annotation.Status.SUBMITTED and assignment.annotator.has_account,
    }
    status = 422 if form.errors else 200
    return render(request, "annotator/annotations/annotation.html", context, status=status)
