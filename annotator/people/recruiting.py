"""Recruitment links: one link for a panel, with as many places as people may join.

Each person takes the next free place and its code. People who have finished their queue see the completion
code, with which a panel pays them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.db.models import Count, QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import Event, Membership, Project, Recruited, Recruitment, User
from annotator.people.codes import PersonRefused, free_codes, member_to_take_over, waits
from annotator.people.members import join_project
from annotator.people.panels import admit
from annotator.people.places import InvitationClosed, InvitationState, hold_places, leave_places
from annotator.people.secrets import digest_of

MOST_PLACES: Final = 500
LONGEST_COMPLETION: Final = 200
STEM: Final = "p"


def recruit(
    *,
    project: Project,
    places: int,
    stem: str,
    closes_at: datetime,
    secret: str,
    actor: User | None,
    **asks: Any,
) -> Recruitment:
    """Store a recruitment link with `places` places and return it; a repeated secret returns the first one.

    The codes are the next free ones with this stem, such as p01. `asks` are other fields of the link: what it
    asks people, and its codes for the panel. Raises PersonRefused for a stem that makes no codes.
    """
    digest = digest_of(secret)
    with write_transaction():
        Project.locked(project.pk)
        if made := project.recruitments.filter(secret_sha256=digest).first():
            return made
        codes = free_codes(project, stem, places)
        try:
            member_to_take_over(project, codes[-1])
        except PersonRefused as refusal:
            raise PersonRefused(str(refusal), "stem", refusal.code) from refusal
        made = Recruitment.objects.create(
            project=project,
            secret_sha256=digest,
            closes_at=closes_at,
            made_by=actor,
            **asks,
        )
        hold_places(project, codes, made)
        facts = {"codes": [codes[0], codes[-1]], "places": places, "closes_at": closes_at.isoformat()}
        _record(made, actor, "recruitment_opened", **facts)
    return made


def recruitment_with(secret: str) -> Recruitment | None:
    """Return the recruitment link with this secret, whatever its state."""
    return Recruitment.objects.filter(secret_sha256=digest_of(secret)).first()


def recruitment_state(link: Recruitment) -> InvitationState:
    """Return the state of a link, by its counts if it has them; it is used when no place is free."""
    if link.closed_at is not None or link.project.goes_at is not None:
        return InvitationState.REVOKED
    if timezone.now() >= link.closes_at:
        return InvitationState.EXPIRED
    made, joined = getattr(link, "made", None), getattr(link, "joined", 0)
    free = _free(link).exists() if made is None else made > joined
    return InvitationState.OPEN if free else InvitationState.USED


def recruitments_of(project: Project) -> QuerySet[Recruitment, Any]:
    """Return a project's links, the latest first, with the number of `made` places and of `joined` people."""
    counts = {"made": Count("places"), "joined": Count("places", filter=~waits("places__"))}
    return project.recruitments.select_related("project").annotate(**counts).order_by("-pk")


def renew_recruitment(*, link: Recruitment, secret: str, actor: User | None) -> None:
    """Give an open link a new address; the old one stops working. Raises InvitationClosed."""
    with write_transaction():
        Project.locked(link.project.pk)
        still_open = Recruitment.objects.filter(pk=link.pk, closed_at=None, closes_at__gt=timezone.now())
        if still_open.update(secret_sha256=digest_of(secret)) != 1:
            raise InvitationClosed
        _record(link, actor, "recruitment_renewed")


def close_recruitment(*, link: Recruitment, actor: User | None) -> bool:
    """Close a link; return whether it was still open. Free places without assigned images go."""
    with write_transaction():
        Project.locked(link.project.pk)
        still_open = Recruitment.objects.filter(pk=link.pk, closed_at=None)
        if still_open.update(closed_at=timezone.now()) != 1:
            return False
        remain = leave_places(list(_free(link)))
        _record(link, actor, "recruitment_closed", remain=remain)
    return True


def take_place(link: Recruitment, user: User, entry: Recruited, *, new_account: bool) -> Membership:
    """Give an account the link's next free place; inside a transaction that locks the project's people.

    Raises InvitationClosed if the link is closed or has no place left, and PersonRefused as `admit` does.
    """
    now = timezone.now()
    usable = Recruitment.objects.filter(pk=link.pk, closed_at=None, closes_at__gt=now, project__goes_at=None)
    place = _free(link).order_by("pk").first() if usable.exists() else None
    if place is None:
        raise InvitationClosed
    member = join_project(link.project, user, Membership.Role.ANNOTATOR, place.code)
    admit(link, member, entry)
    facts = {"code": member.code, "account": user.pk, "new_account": new_account}
    _record(link, user, "recruitment_joined", **facts)
    return member


def _free(link: Recruitment) -> QuerySet[Membership]:
    """Return the places nobody has taken; a lead may have deactivated some."""
    return link.places.filter(waits(), is_active=True)


def _record(link: Recruitment, actor: User | None, verb: str, **data: object) -> None:
    Event.objects.create(
        project_id=link.project_id, actor=actor, verb=verb, data={"recruitment": link.pk, **data}
    )
