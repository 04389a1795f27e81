"""Recruitment links: one link for a panel, with as many places as people may join.

Each person takes the next free place and its code. People who have finished their queue see the completion
code, with which a panel pays them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, QuerySet

from annotator.database.transactions import write_transaction
from annotator.models import Event, Invitation, Membership, Project, Recruited, User
from annotator.people.codes import PersonRefused, free_codes, member_to_take_over, waits
from annotator.people.members import join_project
from annotator.people.panels import admit
from annotator.people.places import InvitationClosed, hold_places

MOST_PLACES: Final = 500
LONGEST_COMPLETION: Final = 200
STEM: Final = "p"


def recruit(
    *,
    project: Project,
    places: int,
    stem: str,
    expires_at: datetime,
    request_key: UUID,
    actor: User | None,
    **asks: Any,
) -> Invitation:
    """Store a recruitment link with `places` places and return it; a repeated key returns the first one.

    The codes are the next free ones with this stem, such as p01. `asks` are other fields of the link: what it
    asks people, and its codes for the panel. Raises PersonRefused for a stem that makes no codes.
    """
    with write_transaction():
        Project.locked(project.pk)
        if made := project.invitations.filter(request_key=request_key).first():
            return made
        codes = free_codes(project, stem, places)
        try:
            member_to_take_over(project, codes[-1])
        except PersonRefused as refusal:
            raise PersonRefused(str(refusal), "stem", refusal.code) from refusal
        made = Invitation.objects.create(
            project=project,
            request_key=request_key,
            expires_at=expires_at,
            made_by=actor,
            **asks,
        )
        hold_places(project, codes, made)
        facts = {"codes": [codes[0], codes[-1]], "places": places, "expires_at": expires_at.isoformat()}
        data = {"invitation": made.pk, **facts}
        Event.objects.create(project=project, actor=actor, verb="recruitment_opened", data=data)
    return made


def recruitments_of(project: Project) -> QuerySet[Invitation, Any]:
    """Return a project's links, the latest first, with the number of `made` places and of `joined` people."""
    counts = {"made": Count("places"), "joined": Count("places", filter=~waits("places__"))}
    return project.invitations.filter(code="").select_related("project").annotate(**counts).order_by("-pk")


def free_places(link: Invitation) -> QuerySet[Membership]:
    """Return the places nobody has taken; a lead may have deactivated some."""
    return link.places.filter(waits(), is_active=True)


def take_place(link: Invitation, user: User, entry: Recruited) -> Membership:
    """Give an account the link's next free place; inside a transaction that locks the project's people.

    Raises InvitationClosed if no place is left, and PersonRefused as `admit` does.
    """
    place = free_places(link).order_by("pk").first()
    if place is None:
        raise InvitationClosed
    member = join_project(link.project, user, Membership.Role.ANNOTATOR, place.code)
    admit(link, member, entry)
    return member
