"""One annotation, read-only, with its history, for leads."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from annotator.annotations.reopening import reopen_for_annotator
from annotator.annotations.versioned_changes import Conflict
from annotator.exchange.formats.names import whole_number
from annotator.models import Annotation, Event
from annotator.people.access import annotation_as_lead
from annotator.web.views.annotation_details import details_of, state_of
from annotator.web.views.lead.history import rows_of
from annotator.web.views.pages import SignedIn, form_page, incomplete_form, key_of_form, page_of
from scoring.protocol import InvalidPayload

EVENTS_SHOWN = 20


@form_page
def annotation(request: SignedIn, pk: int) -> HttpResponse:
    """Show one annotation to a lead, who can return it to its annotator with a reason."""
    shown = annotation_as_lead(request.user, pk)
    if request.method != "POST":
        return _page(request, shown)
    key, version = key_of_form(request), whole_number(request.POST.get("version", ""))
    if key is None or version is None:
        return incomplete_form()
    # Reopen only the version the lead has read; a newer one is a conflict.
    shown.version = version
    try:
        reason = request.POST.get("reason", "")
        reopen_for_annotator(annotation=shown, actor=request.user, reason=reason, request_key=key)
    except InvalidPayload as refused:
        for texts in refused.errors.values():
            messages.error(request, " ".join(texts), "reason")
    except Conflict:
        messages.warning(
            request, "Not reopened: the annotation has changed. Check it and try again.", "changed"
        )
    else:
        messages.success(request, f"Reopened for {shown.assignment.annotator.code}.")
        return redirect("annotation", pk)
    return _page(request, annotation_as_lead(request.user, pk), 422)


def _page(request: SignedIn, shown: Annotation, status: int = 200) -> HttpResponse:
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
        "page": page,
        "history": rows_of(assignment.batch.project, list(page)),
        "request_key": uuid4(),
        "reopenable": shown.status == Annotation.Status.SUBMITTED and assignment.annotator.has_account,
    }
    return render(request, "annotator/annotations/annotation.html", context, status=status)
