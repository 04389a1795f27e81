"""The members of a project, for its leads."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

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
from annotator.people.site_address import link_of
from annotator.projects import overview
from annotator.web.views.pages import SignedIn, form_page, page_of, safe_page

PEOPLE_SHOWN = 50
INVITATIONS_SHOWN = 20
RECRUITMENTS_SHOWN = 10
BATCHES_SHOWN = 50


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
        "invitations": [(each, state_of(each), link_of(request, each)) for each in invitations],
    }
    return render(request, "annotator/people/people.html", context)


@form_page
def person(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Show one member: role, access and unfinished work; a POST changes the role or the access."""
    member, refusal = person_as_lead(request.user, slug, pk), None
    if request.method == "POST":
        try:
            done = _changed(request, member)
        except PersonRefused as refused:
            refusal = refused
        else:
            messages.success(request, done, "changed")
            return redirect("person", slug, pk)
    if waits_for_its_person(member):
        member.is_invited = with_invitations(Membership.objects.filter(pk=member.pk)).get().is_invited  # type: ignore[attr-defined]
    context = {
        "project": member.project,
        "section": "people",
        "member": member,
        "waits": waits_for_its_person(member),
        "is_self": member.user_id == request.user.pk,
        "roles": Membership.Role.choices,
        "refusal": refusal,
        "work": page_of(request, open_work_by_batch(member), BATCHES_SHOWN),
    }
    return render(request, "annotator/people/person.html", context, status=422 if refusal else 200)


def _changed(request: SignedIn, member: Membership) -> str:
    """Carry out the action of a member's page, and return what was done; raises PersonRefused."""
    action = request.POST.get("action", "")
    if action == "deactivate":
        deactivate_person(membership=member, actor=request.user)
        return f"{member.code} deactivated. Their work is kept."
    if action == "reactivate":
        reactivate_person(membership=member, actor=request.user)
        return f"{member.code} reactivated."
    change_role(membership=member, role=request.POST.get("role", ""), actor=request.user)
    return f"{member.code} is now {member.get_role_display().lower()}."
