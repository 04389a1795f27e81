"""The annotators' guide: the method of one protocol on one page."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.registry import PAGES, page_of
from annotator.web.views.protocol_choice import PARAMETER


@require_safe
@login_required
def guide(request: HttpRequest) -> HttpResponse:
    """Show the guide to whoever is signed in: that of the protocol named, or of the first there was."""
    face = PAGES.get(request.GET.get(PARAMETER) or DEFAULT_PROTOCOL)
    if face is None or face.guide is None:
        raise Http404("There is no such guide.")
    return render(request, face.guide.template, face.guide.context())


def guide_address(slug: str) -> str:
    """Return the address of a protocol's guide; empty where it has none."""
    if page_of(slug).guide is None:
        return ""
    return reverse("guide") + ("" if page_of(slug) is page_of(DEFAULT_PROTOCOL) else f"?{PARAMETER}={slug}")
