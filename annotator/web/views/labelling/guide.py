"""The guideline of a protocol."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.models.work import DEFAULT_PROTOCOL
from annotator.protocols.page import OwnGuide
from annotator.protocols.registry import PAGES
from annotator.web.views.first_day import mark_read
from annotator.web.views.protocol_choice import PARAMETER


@require_safe
@login_required
def guide(request: HttpRequest) -> HttpResponse:
    """Show the guideline of the protocol named in the address, by default anatomy, to signed-in users."""
    slug = request.GET.get(PARAMETER) or DEFAULT_PROTOCOL
    # A rating form is read in its project only.
    face = PAGES[slug] if slug in list(PAGES) else None
    if face is None or face.guide is None:
        raise Http404("No such guideline.")
    mark_read(request, slug)
    return render(request, face.guide.template, face.guide.context(OwnGuide()))
