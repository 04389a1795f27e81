"""For leads: ask one more annotator to judge an image, from wherever its number or thread is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from annotator.batches.assignments import InvalidBatch
from annotator.batches.second_opinions import ask_second_opinion, opinions_on, people_to_ask
from annotator.models import Assignment, Image, Membership, User
from annotator.people.access import project_as_lead
from annotator.web.views.pages import post_page
from annotator.web.views.protocol_choice import chosen_protocol


@dataclass(frozen=True)
class Opinions:
    """What the form on an image's or a question's page needs; `back` is that page."""

    image: Image
    protocol: str
    asked: Sequence[Assignment]
    people: Sequence[Membership]
    back: str

    @property
    def waits(self) -> bool:
        """Whether somebody was asked and has not answered."""
        return any(
            one.status == Assignment.Status.OPEN and one.batch.status == one.batch.Status.OPEN
            for one in self.asked
        )


def opinions_of(image: Image, protocol: str, back: str) -> Opinions:
    """Return the second opinions on an image, and whom a lead can ask for another."""
    asked = list(opinions_on(image, protocol).select_related("annotator", "batch", "annotation"))
    return Opinions(image, protocol, asked, people_to_ask(image, protocol), back)


@post_page
def second_opinion(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for a second opinion on one image and return to the page that the form was on."""
    assert isinstance(request.user, User)  # signed in
    project = project_as_lead(request.user, slug)
    chosen = chosen_protocol(request, project)
    try:
        public_id = UUID(request.POST.get("image", ""))
    except ValueError:
        return HttpResponseBadRequest("The form names no image.", content_type="text/plain")
    image = get_object_or_404(project.images, public_id=public_id)
    try:
        made = ask_second_opinion(
            image=image, protocol=chosen.slug, actor=request.user, code=request.POST.get("code", "")
        )
    except InvalidBatch as refused:
        messages.error(request, str(refused), refused.code)
    else:
        messages.success(
            request,
            f"{made.annotator.code} gets this image among their own. Nothing shows them that it is a second "
            "opinion.",
            "second-opinion-asked",
        )
    back = request.POST.get("back", "")
    if not (back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)):
        back = reverse("image_detail", args=[project.slug, image.public_id]) + chosen.query
    return redirect(back)
