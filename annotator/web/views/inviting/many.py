"""Invite many people at once, and create new links."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from annotator.models import Project
from annotator.people.access import invitation_as_lead, project_as_lead
from annotator.people.codes import PersonRefused, waiting_members
from annotator.people.invitations import DAYS, renew_invitation
from annotator.people.inviting_many import (
    LineRefusal,
    LinesRefused,
    MadeInvitation,
    check_invite_lines,
    invite_many,
    links_made_before,
)
from annotator.people.mailing import mail_is_set_up, remind_by_mail, request_mailing
from annotator.people.personal_codes import looks_personal
from annotator.people.places import InvitationClosed
from annotator.people.secrets import digest_of, new_secret, offer_secret, offered_secret
from annotator.people.site_address import absolute
from annotator.web.forms.recruiting import DAYS_OPEN, RecruitmentForm, today
from annotator.web.views.pages import SignedIn, form_page, post_page
from scoring.formula_guard import guarded

EXPIRED: Final = "This page has expired. Nothing was stored. Submit the form again."
COLUMNS: Final = ("code", "email", "role", "link", "valid_until_utc")
# Separates codes in a button's value; no code of a line contains it.
_BETWEEN: Final = ","


@form_page
@sensitive_post_parameters("offer", "lines")
@sensitive_variables("seed")
def invitations_many(request: SignedIn, slug: str) -> HttpResponse:
    """Invite everybody in the lines, or say what is wrong with which; links are shown only once."""
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return invite_page(request, project)
    text, days = _text(request), request.POST.get("days", "").strip() or str(DAYS)
    seed = offered_secret(request.POST.get("offer", ""), project.slug, request.user)
    try:
        if not seed:
            raise PersonRefused(EXPIRED, code="page-expired")
        if not links_made_before(project, text, seed) and (warned := _warned(request, project, text)):
            return invite_page(request, project, warned=warned, status=422)
        made = invite_many(
            project=project,
            text=text,
            seed=seed,
            days=_whole(days),
            mail=_by_mail(request),
            actor=request.user,
        )
    except LinesRefused as refused:
        return invite_page(request, project, refusals=refused.refusals, status=422)
    except PersonRefused as refusal:
        return invite_page(request, project, refusal=refusal, status=422)
    return _made_page(request, project, made, seed, text)


@post_page
@sensitive_post_parameters("offer", "lines")
@sensitive_variables("seed")
def invitations_csv(request: SignedIn, slug: str) -> HttpResponse:
    """Return the links just made as CSV; the form that made them is sent again, nothing is stored."""
    project = project_as_lead(request.user, slug)
    seed = offered_secret(request.POST.get("offer", ""), project.slug, request.user)
    try:
        made = links_made_before(project, _text(request), seed) if seed else []
    except LinesRefused:
        made = []
    if not made:
        told = "These links are not shown any more. Create a new link for each open invitation."
        messages.error(request, told, "links-gone")
        return redirect("people", slug)
    buffer = io.StringIO(newline="")
    rows = [[guarded(cell) for cell in _cells(request, one)] for one in made]
    csv.writer(buffer, lineterminator="\r\n").writerows([COLUMNS, *rows])
    response = HttpResponse(buffer.getvalue().encode("utf-8-sig"), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-invitations.csv"'
    return response


@post_page
@sensitive_variables("secret")
def invitation_renew(request: SignedIn, pk: int) -> HttpResponse:
    """Replace the link of an open or expired invitation, and show the new one or send it by email."""
    invitation = invitation_as_lead(request.user, pk)
    secret, project = new_secret(), invitation.project
    try:
        renew_invitation(invitation=invitation, secret=secret, actor=request.user)
    except InvitationClosed:
        told = f"The invitation for {invitation.code} has already been used or revoked."
        messages.warning(request, told, "used")
        return redirect("people", project.slug)
    except PersonRefused as refusal:
        messages.error(request, str(refusal), refusal.code)
        return redirect("people", project.slug)
    if request.POST.get("by") == "mail" and invitation.email and mail_is_set_up():
        remind_by_mail(invitation=invitation, site=_site(request), actor=request.user)
        told = f"A new link for {invitation.code} is being sent by email. The earlier link no longer works."
        messages.success(request, told, "reminded")
        return redirect("people", project.slug)
    context = {
        "project": project,
        "section": "people",
        "invitation": invitation,
        "link": absolute(request, reverse("invitation", args=[secret])),
        "renewed": True,
    }
    return render(request, "annotator/inviting/invitation_made.html", context)


def _made_page(
    request: SignedIn, project: Project, made: Sequence[MadeInvitation], seed: str, text: str
) -> HttpResponse:
    job = None
    if any(one.invitation.mail for one in made):
        key = UUID(digest_of(f"mail {seed} {text}")[:32])
        job = request_mailing(project=project, site=_site(request), actor=request.user, request_key=key)
    context = {
        "project": project,
        "section": "people",
        "made": [(one, "" if one.invitation.mail else _link(request, one)) for one in made],
        "linked": sum(not one.invitation.mail for one in made),
        "expires_at": made[0].invitation.expires_at,
        "job": job,
        "guideline": bool(project.guideline_versions),
        "lines": text,
        "offer": request.POST.get("offer", ""),
    }
    return render(request, "annotator/inviting/invitations_made.html", context)


def invite_page(
    request: SignedIn,
    project: Project,
    *,
    refusals: Sequence[LineRefusal] = (),
    refusal: PersonRefused | None = None,
    warned: Sequence[tuple[int, str, str]] = (),
    recruiting: RecruitmentForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Return the page of both ways to invite; with `recruiting`, a form that was refused."""
    initial = {"closes": today() + timedelta(days=DAYS_OPEN)}
    context: dict[str, Any] = {
        "project": project,
        "section": "people",
        "lines": _text(request),
        "days": request.POST.get("days", ""),
        "by_mail": _by_mail(request),
        "refusals": refusals,
        "refusal": refusal,
        "warned": warned,
        "warned_codes": _BETWEEN.join(code for _, code, _ in warned),
        "form": recruiting or RecruitmentForm(project, initial=initial),
        "offer": offer_secret(new_secret(), project.slug, request.user),
    }
    return render(request, "annotator/inviting/invitations_many.html", context, status=status)


def _warned(request: SignedIn, project: Project, text: str) -> list[tuple[int, str, str]]:
    """Return number, code and kind of the new codes that look personal and are not confirmed."""
    confirmed = set(request.POST.get("keep_codes", "").split(_BETWEEN))
    lines = check_invite_lines(project, text)
    # Codes of members without an account are already in the data.
    confirmed |= set(waiting_members(project).values_list("code", flat=True))
    found = [
        (line.number, line.code, looks_personal(line.code, [line.email.partition("@")[0]]))
        for line in lines
        if line.code not in confirmed
    ]
    return [each for each in found if each[2]]


def _cells(request: SignedIn, one: MadeInvitation) -> list[str]:
    until = one.invitation.expires_at.strftime("%Y-%m-%d %H:%M")
    return [one.line.code, one.line.email, one.line.role, _link(request, one), until]


def _link(request: SignedIn, one: MadeInvitation) -> str:
    return absolute(request, reverse("invitation", args=[one.secret]))


def _site(request: SignedIn) -> str:
    return absolute(request, "/").removesuffix("/")


def _text(request: SignedIn) -> str:
    """Return the lines typed, or that of the place a page links here for."""
    code = request.GET.get("code", "").replace("\0", "")
    return request.POST.get("lines", f"{code}, {request.GET.get('role', 'annotator')}" if code else "")


def _by_mail(request: SignedIn) -> bool:
    return request.POST.get("mail") == "on" and mail_is_set_up()


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0
