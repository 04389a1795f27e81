"""What a lead does about an annotator's line on the quality page; nothing happens by itself."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse

from annotator.people.access import person_as_lead
from annotator.people.codes import PersonRefused
from annotator.people.members import deactivate_person, reactivate_person
from annotator.web.views.pages import SignedIn, post_page
from annotator.web.views.protocol_choice import chosen_protocol


@post_page
def quality_act(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Deactivate or reactivate an annotator; the history keeps who did."""
    member = person_as_lead(request.user, slug, pk)
    chosen = chosen_protocol(request, member.project)
    action = request.POST.get("action", "")
    if action == "pause":
        try:
            deactivate_person(membership=member, actor=request.user)
        except PersonRefused as refused:
            messages.error(request, str(refused), "not-paused")
        else:
            messages.success(
                request,
                f"{member.code} is deactivated and cannot open the project. Their annotations and unfinished "
                "images stay assigned to them.",
                "paused",
            )
    elif action == "resume":
        reactivate_person(membership=member, actor=request.user)
        messages.success(request, f"{member.code} can annotate again.", "resumed")
    else:
        return HttpResponseBadRequest("The form names no action.", content_type="text/plain")
    return redirect(f"{reverse('report', args=[slug, 'quality'])}{chosen.query}#annotator-{member.code}")
