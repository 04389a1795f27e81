"""For leads: the announcements of a batch."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotator.annotations.announcements import announce, announcements_of, withdraw
from annotator.annotations.questions import LONGEST, QuestionRefused
from annotator.batches.progress import counts_of
from annotator.models import User
from annotator.people.access import announcement_as_lead, batch_as_lead, membership_of
from annotator.web.views.idempotency import incomplete_form, key_of_form
from annotator.web.views.paging import page_of

SHOWN = 10


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def announcements(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the announcements of a batch and who has read them, or send one."""
    assert isinstance(request.user, User)  # signed in
    batch, refused, text = batch_as_lead(request.user, pk), None, ""
    if request.method == "POST":
        key, text = key_of_form(request), request.POST.get("text", "")
        if key is None:
            return incomplete_form()
        lead = membership_of(request.user, batch.project.slug)
        try:
            announce(batch=batch, author=lead, actor=request.user, text=text, request_key=key)
        except QuestionRefused as said:
            refused = said
        else:
            messages.success(request, "Announcement sent.", "announced")
            return redirect("announcements", batch.pk)
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "page": page_of(request, announcements_of(batch), SHOWN),
        "people": counts_of([batch])[batch.pk].people,
        "request_key": uuid4(),
        "refused": refused,
        "text": text,
        "longest": LONGEST,
    }
    return render(request, "annotator/questions/announcements.html", context, status=422 if refused else 200)


@require_POST
@login_required
def announcement_withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Hide an announcement from annotators."""
    assert isinstance(request.user, User)  # signed in
    found = announcement_as_lead(request.user, pk)
    if withdraw(announcement=found, actor=request.user):
        messages.success(request, "Announcement withdrawn. Annotators no longer see it.", "withdrawn")
    return redirect("announcements", found.batch_id)
