"""Recruit annotators from a panel with one link."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from annotator.inputs.refusal import as_form_error
from annotator.models import Project, Recruitment, User
from annotator.people.access import project_as_lead, recruitment_as_lead
from annotator.people.codes import PersonRefused
from annotator.people.personal_codes import looks_personal, personal_warning
from annotator.people.places import InvitationClosed
from annotator.people.recruiting import close_recruitment, recruit, renew_recruitment
from annotator.people.secrets import new_secret, offer_secret, offered_secret
from annotator.people.site_address import absolute
from annotator.web.forms.recruiting import DAYS_OPEN, RecruitmentForm, today

EXPIRED: Final = "This page has expired. Nothing was created. Submit the form again."


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters("offer")
@sensitive_variables("secret")
@login_required
def recruitment_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a recruitment link; it is shown only once."""
    project = project_as_lead(request.user, slug)
    assert isinstance(request.user, User)  # signed in
    initial = {"closes": today() + timedelta(days=DAYS_OPEN)}
    form = RecruitmentForm(request.POST if request.method == "POST" else None, initial=initial)
    looks = ""
    if form.is_bound and form.is_valid() and not (looks := _looks_personal(request, form)):
        said = form.cleaned_data
        secret = offered_secret(said["offer"], project, request.user)
        try:
            if not secret:
                raise PersonRefused(EXPIRED, code="page-expired")
            link = recruit(
                project=project,
                places=said["places"],
                stem=said["stem"],
                completion_code=said["completion_code"],
                closes_at=said["closes"],
                secret=secret,
                actor=request.user,
            )
        except PersonRefused as refusal:
            form.add_error(refusal.field or None, as_form_error(refusal))
        else:
            return _made_page(request, project, link, secret)
    context = {
        "project": project,
        "section": "people",
        "form": form,
        "looks_personal": looks,
        "offer": offer_secret(project, request.user),
    }
    return render(
        request,
        "annotator/inviting/recruitment_new.html",
        context,
        status=422 if form.errors or looks else 200,
    )


def _looks_personal(request: HttpRequest, form: RecruitmentForm) -> str:
    """Return the warning for codes that begin like a name, unless the lead has confirmed them."""
    stem = form.cleaned_data["stem"]
    found = "" if request.POST.get("keep_code") == stem else looks_personal(stem)
    return personal_warning(stem, found) if found else ""


@require_POST
@login_required
def recruitment_close(request: HttpRequest, pk: int) -> HttpResponse:
    """Close a recruitment link."""
    link = recruitment_as_lead(request.user, pk)
    assert isinstance(request.user, User)  # signed in
    if close_recruitment(link=link, actor=request.user):
        messages.success(
            request, "The recruitment link is closed. Nobody else can join through it.", "closed"
        )
    else:
        messages.warning(request, "The recruitment link was already closed.", "closed-before")
    return redirect("people", link.project.slug)


@require_POST
@never_cache
@sensitive_variables("secret")
@login_required
def recruitment_renew(request: HttpRequest, pk: int) -> HttpResponse:
    """Replace the address of a recruitment link and show the new one."""
    link = recruitment_as_lead(request.user, pk)
    assert isinstance(request.user, User)  # signed in
    secret = new_secret()
    try:
        renew_recruitment(link=link, secret=secret, actor=request.user)
    except InvitationClosed:
        messages.warning(request, "The recruitment link is closed.", "closed-before")
        return redirect("people", link.project.slug)
    return _made_page(request, link.project, link, secret, renewed=True)


def _made_page(
    request: HttpRequest, project: Project, link: Recruitment, secret: str, *, renewed: bool = False
) -> HttpResponse:
    codes = link.places.order_by("pk").values_list("code", flat=True)
    context = {
        "project": project,
        "section": "people",
        "recruitment": link,
        "first": codes.first(),
        "last": codes.last(),
        "places": codes.count(),
        "link": absolute(request, reverse("invitation", args=[secret])),
        "renewed": renewed,
    }
    return render(request, "annotator/inviting/recruitment_made.html", context)
