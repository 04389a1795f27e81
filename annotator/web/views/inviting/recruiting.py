"""Recruit annotators from a panel with one link; new links in place of earlier ones."""

from __future__ import annotations

import csv
from typing import Final

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables

from annotator.inputs.refusal import as_form_error
from annotator.models import Invitation, Recruited
from annotator.people.access import invitation_as_lead, project_as_lead
from annotator.people.codes import PersonRefused, waits
from annotator.people.invitations import renew_invitation
from annotator.people.inviting_many import InviteLine, MadeInvitation
from annotator.people.panels import questions_of
from annotator.people.places import InvitationClosed
from annotator.people.recruiting import recruit
from annotator.people.secrets import new_secret, secret_of_form
from annotator.people.site_address import absolute
from annotator.projects.overview import counts_of_people
from annotator.protocols.rating_form.sheet import sheet_of
from annotator.web.forms.recruiting import RecruitmentForm
from annotator.web.views.inviting.many import invite_page, made_page
from annotator.web.views.pages import SignedIn, page_of, post_page, safe_page
from scoring.formula_guard import guarded

PEOPLE_SHOWN: Final = 100


@post_page
@sensitive_variables("secret")
def recruitment_new(request: SignedIn, slug: str) -> HttpResponse:
    """Create a recruitment link; it is shown only once."""
    project = project_as_lead(request.user, slug)
    form = RecruitmentForm(project, request.POST)
    if form.is_valid():
        wanted = {**form.cleaned_data}
        secret = secret_of_form(wanted.pop("request_key"), project.slug, request.user)
        expires_at = wanted.pop("closes")
        try:
            made = {"project": project, "expires_at": expires_at, "secret": secret, "actor": request.user}
            link = recruit(**made, **wanted)
        except PersonRefused as refusal:
            form.add_error(refusal.field or None, as_form_error(refusal))
        else:
            return link_page(request, link, secret)
    return invite_page(request, project, recruiting=form, status=422)


@post_page
@sensitive_variables("secret")
def invitation_renew(request: SignedIn, pk: int) -> HttpResponse:
    """Replace the link of an open or expired invitation, and show the new one."""
    invitation = invitation_as_lead(request.user, pk)
    secret, project = new_secret(), invitation.project
    try:
        renew_invitation(invitation=invitation, secret=secret, actor=request.user)
    except InvitationClosed:
        told = f"The invitation for {invitation.code or 'several people'} has already been used or revoked."
        messages.warning(request, told, "used")
        return redirect("people", project.slug)
    except PersonRefused as refusal:
        messages.error(request, str(refusal), refusal.code)
        return redirect("people", project.slug)
    if invitation.recruits:
        return link_page(request, invitation, secret, renewed=True)
    return made_page(request, project, [MadeInvitation(InviteLine(1, invitation.code), invitation, secret)])


@safe_page
def recruitment(request: SignedIn, pk: int) -> HttpResponse:
    """Show a link and who has joined, with the panel's ids: leads pay by them; or the answers as CSV."""
    link = invitation_as_lead(request.user, pk)
    if not link.recruits:
        raise Http404("No recruitment link.")
    return _answers(link) if "csv" in request.GET else link_page(request, link)


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


def link_page(
    request: SignedIn, link: Invitation, secret: str = "", *, renewed: bool = False
) -> HttpResponse:
    """Show a link with the people who joined by it; the address itself only with its new secret."""
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
        "link": absolute(request, reverse("invitation", args=[secret])) if secret else "",
        "renewed": renewed,
    }
    return render(request, "annotator/inviting/recruitment.html", context)
