"""Invite many people at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.debug import sensitive_post_parameters

from annotator.models import Project
from annotator.people.access import project_as_lead
from annotator.people.inviting_many import (
    LineRefusal,
    LinesRefused,
    invite_many,
)
from annotator.people.site_address import link_of
from annotator.web.forms.recruiting import DAYS_OPEN, RecruitmentForm, today
from annotator.web.views.pages import SignedIn, form_page, incomplete_form, key_of_form


@form_page
@sensitive_post_parameters("lines")
def invitations_many(request: SignedIn, slug: str) -> HttpResponse:
    """Invite everybody in the lines, or say what is wrong with which; show the links."""
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return invite_page(request, project)
    if (key := key_of_form(request)) is None:
        return incomplete_form()
    try:
        made = invite_many(project=project, text=_text(request), request_key=key, actor=request.user)
    except LinesRefused as refused:
        return invite_page(request, project, refusals=refused.refusals, status=422)
    context = {
        "project": project,
        "section": "people",
        "made": [(line, invitation, link_of(request, invitation)) for line, invitation in made],
        "expires_at": made[0][1].expires_at,
        "guideline": bool(project.guideline_versions),
    }
    return render(request, "annotator/inviting/invitations_made.html", context)


def invite_page(
    request: SignedIn,
    project: Project,
    *,
    refusals: Sequence[LineRefusal] = (),
    recruiting: RecruitmentForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Return the page of both ways to invite; with `recruiting`, a form that was refused."""
    initial = {"closes": today() + timedelta(days=DAYS_OPEN)}
    context: dict[str, Any] = {
        "project": project,
        "section": "people",
        "lines": _text(request),
        "refusals": refusals,
        "form": recruiting or RecruitmentForm(project, initial=initial),
        "key": uuid4(),
    }
    return render(request, "annotator/inviting/invitations_many.html", context, status=status)


def _text(request: SignedIn) -> str:
    """Return the lines typed, or that of the place a page links here for."""
    code = request.GET.get("code", "").replace("\0", "")
    return request.POST.get("lines", f"{code}, {request.GET.get('role', 'annotator')}" if code else "")
