"""Recruit annotators from a panel with one link."""

from __future__ import annotations

import csv
from typing import Final

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from annotator.inputs.refusal import as_form_error
from annotator.models import Invitation, Recruited
from annotator.people.access import invitation_as_lead, project_as_lead
from annotator.people.codes import PersonRefused, waits
from annotator.people.invitations import state_of
from annotator.people.panels import questions_of
from annotator.people.places import InvitationState
from annotator.people.recruiting import recruit
from annotator.people.site_address import link_of
from annotator.projects.overview import counts_of_people
from annotator.protocols.rating_form.sheet import sheet_of
from annotator.web.forms.recruiting import RecruitmentForm
from annotator.web.views.inviting.many import invite_page
from annotator.web.views.pages import SignedIn, page_of, post_page, safe_page
from scoring.formula_guard import guarded

PEOPLE_SHOWN: Final = 100


@post_page
def recruitment_new(request: SignedIn, slug: str) -> HttpResponse:
    """Create a recruitment link, and lead to its page."""
    project = project_as_lead(request.user, slug)
    form = RecruitmentForm(project, request.POST)
    if form.is_valid():
        wanted = {**form.cleaned_data}
        expires_at = wanted.pop("closes")
        try:
            link = recruit(project=project, expires_at=expires_at, actor=request.user, **wanted)
        except PersonRefused as refusal:
            form.add_error(refusal.field or None, as_form_error(refusal))
        else:
            return redirect("recruitment", link.pk)
    return invite_page(request, project, recruiting=form, status=422)


@safe_page
def recruitment(request: SignedIn, pk: int) -> HttpResponse:
    """Show a link and who has joined, with the panel's ids: leads pay by them; or the answers as CSV."""
    link = invitation_as_lead(request.user, pk)
    if not link.recruits:
        raise Http404("No recruitment link.")
    if "csv" in request.GET:
        return _answers(link)
    joined = link.places.exclude(waits()).select_related("recruited").order_by("pk")
    people = page_of(request, joined, PEOPLE_SHOWN)
    counts = counts_of_people(list(people))
    codes = link.places.order_by("pk").values_list("code", flat=True)
    context = {
        "project": link.project,
        "section": "people",
        "recruitment": link,
        "codes": codes,
        "questions": questions_of(link),
        "page": people,
        "people": [(member, counts[member.pk]) for member in people],
        "link": link_of(request, link) if state_of(link) == InvitationState.OPEN else "",
    }
    return render(request, "annotator/inviting/recruitment.html", context)


def _answers(link: Invitation) -> HttpResponse:
    """Return what people answered about themselves as CSV, by code."""
    questions = questions_of(link)
    names = [item.name for item in questions.items] if questions else []
    reader = sheet_of(questions).reader if questions else None
    response = HttpResponse("\ufeff", content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{link.project.slug}-answers-{link.pk}.csv"'
    lines = csv.writer(response)
    lines.writerow(["code", *names])
    said = Recruited.objects.filter(membership__recruitment=link).order_by("membership")
    for code, answers in said.values_list("membership__code", "answers"):
        cells = reader.write({"answers": answers}) if reader else {}
        lines.writerow([guarded(cell) for cell in (code, *(cells[name] for name in names))])
    return response
