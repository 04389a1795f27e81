"""The members of a project, for its leads."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from annotator.inputs.refusal import as_form_error
from annotator.models import Membership
from annotator.people.access import person_as_lead, project_as_lead
from annotator.people.codes import PersonRefused, waits_for_its_person
from annotator.people.invitations import invitations_of, state_of
from annotator.people.members import (
    change_role,
    deactivate_person,
    open_work_by_batch,
    reactivate_person,
)
from annotator.people.places import MOST_TOLD, abandoned_places, with_invitations
from annotator.people.recruiting import recruitments_of
from annotator.projects import overview
from annotator.web.views.pages import SignedIn, page_of, post_page, safe_page

PEOPLE_SHOWN = 50
INVITATIONS_SHOWN = 20
RECRUITMENTS_SHOWN = 10
BATCHES_SHOWN = 50


class RoleForm(forms.Form):
    """A member's new role."""

    role = forms.ChoiceField(choices=Membership.Role.choices)


@safe_page
def people(request: SignedIn, slug: str) -> HttpResponse:
    """List a project's members and invitations."""
    project = project_as_lead(request.user, slug)
    members = page_of(request, with_invitations(overview.people_of(project)), PEOPLE_SHOWN)
    counts = overview.counts_of_people(list(members))
    invitations = page_of(request, invitations_of(project), INVITATIONS_SHOWN, name="invitations")
    recruitments = page_of(request, recruitments_of(project), RECRUITMENTS_SHOWN, name="recruitments")
    context = {
        "project": project,
        "section": "people",
        "page": members,
        "abandoned": abandoned_places(project)[:MOST_TOLD],
        "recruitment_page": recruitments,
        "recruitments": [(link, state_of(link)) for link in recruitments],
        "members": [(member, waits_for_its_person(member), counts[member.pk]) for member in members],
        "invitation_page": invitations,
        "invitations": [(invitation, state_of(invitation)) for invitation in invitations],
    }
    return render(request, "annotator/people/people.html", context)


@safe_page
def person(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Show one member: role, access and unfinished work."""
    return _person_page(request, person_as_lead(request.user, slug, pk))


@post_page
def person_role(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Change a member's role."""
    member = person_as_lead(request.user, slug, pk)
    form = RoleForm(request.POST)
    if form.is_valid():
        try:
            change_role(membership=member, role=form.cleaned_data["role"], actor=request.user)
        except PersonRefused as refusal:
            form.add_error("role", as_form_error(refusal))
        else:
            messages.success(request, f"{member.code} is now {member.get_role_display().lower()}.", "role")
            return redirect("person", slug, pk)
    return _person_page(request, member, role_form=form)


@post_page
def person_deactivate(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Deactivate a member."""
    member = person_as_lead(request.user, slug, pk)
    try:
        deactivate_person(membership=member, actor=request.user)
    except PersonRefused as refusal:
        return _person_page(request, member, refusal=refusal)
    messages.success(request, f"{member.code} deactivated. Their work is kept.")
    return redirect("person", slug, pk)


@post_page
def person_reactivate(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Reactivate a member."""
    member = person_as_lead(request.user, slug, pk)
    reactivate_person(membership=member, actor=request.user)
    messages.success(request, f"{member.code} reactivated.")
    return redirect("person", slug, pk)


def _person_page(
    request: SignedIn,
    member: Membership,
    *,
    role_form: RoleForm | None = None,
    refusal: PersonRefused | None = None,
) -> HttpResponse:
    if waits_for_its_person(member):
        member.is_invited = with_invitations(Membership.objects.filter(pk=member.pk)).get().is_invited  # type: ignore[attr-defined]
    context = {
        "project": member.project,
        "section": "people",
        "member": member,
        "waits": waits_for_its_person(member),
        "is_self": member.user_id == request.user.pk,
        "role_form": role_form or RoleForm(initial={"role": member.role}),
        "refusal": refusal,
        "work": page_of(request, open_work_by_batch(member), BATCHES_SHOWN),
    }
    status = 422 if refusal or role_form else 200
    return render(request, "annotator/people/person.html", context, status=status)
