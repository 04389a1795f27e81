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
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.models import Event, Membership, Project, Recruitment, User
from annotator.people.codes import PersonRefused, free_codes, member_to_take_over, waits
from annotator.people.members import join_project
from annotator.people.places import InvitationClosed, InvitationState, hold_places, leave_places
from annotator.people.secrets import digest_of

MOST_PLACES: Final = 500
LONGEST_COMPLETION: Final = 80
STEM: Final = "p"


def recruit(
    *,
    project: Project,
    places: int,
    stem: str,
    completion_code: str,
    closes_at: datetime,
    secret: str,
    actor: User | None,
) -> Recruitment:
    """Store a recruitment link with `places` places and return it; a repeated secret returns the first one.

    The codes are the next free ones with this stem, such as p01. Raises PersonRefused.
    """
    _check(places, stem, completion_code, closes_at)
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
            completion_code=completion_code,
            closes_at=closes_at,
            made_by=actor,
        )
        hold_places(project, codes, made)
        facts = {"codes": [codes[0], codes[-1]], "places": places, "closes_at": closes_at.isoformat()}
        _record(made, actor, "recruitment_opened", **facts)
    return made


def recruitment_with(secret: str) -> Recruitment | None:
    """Return the recruitment link with this secret, whatever its state."""
    return Recruitment.objects.filter(secret_sha256=digest_of(secret)).first()


def recruitment_state(link: Recruitment) -> InvitationState:
    """Return the state of a link; it is used when no place is free."""
    if link.closed_at is not None or link.project.goes_at is not None:
        return InvitationState.REVOKED
    if timezone.now() >= link.closes_at:
        return InvitationState.EXPIRED
    return InvitationState.OPEN if _free(link).exists() else InvitationState.USED


def state_of_counted(link: Recruitment) -> InvitationState:
    """Return the same for a link of `recruitments_of`, from its counts."""
    if link.closed_at is not None:
        return InvitationState.REVOKED
    if timezone.now() >= link.closes_at:
        return InvitationState.EXPIRED
    full = link.joined >= link.made  # type: ignore[attr-defined]
    return InvitationState.USED if full else InvitationState.OPEN


def recruitments_of(project: Project) -> QuerySet[Recruitment, Any]:
    """Return a project's links, the latest first, with the number of `made` places and of `joined` people."""
    joined = Count("places", filter=~waits("places__"))
    return project.recruitments.annotate(made=Count("places"), joined=joined).order_by("-pk")


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


def completion_code(member: Membership) -> str:
    """Return the completion code of the link by which a member joined; empty if none."""
    if member.recruitment_id is None:
        return ""
    found = Recruitment.objects.filter(pk=member.recruitment_id).values_list("completion_code", flat=True)
    return found.first() or ""


def take_place(link: Recruitment, user: User, *, new_account: bool) -> Membership:
    """Give an account the link's next free place; inside a transaction that locks the project's people.

    Raises InvitationClosed if the link is closed or has no place left.
    """
    now = timezone.now()
    usable = Recruitment.objects.filter(pk=link.pk, closed_at=None, closes_at__gt=now, project__goes_at=None)
    place = _free(link).order_by("pk").first() if usable.exists() else None
    if place is None:
        raise InvitationClosed
    member = join_project(link.project, user, Membership.Role.ANNOTATOR, place.code)
    facts = {"code": member.code, "account": user.pk, "new_account": new_account}
    _record(link, user, "recruitment_joined", **facts)
    return member


def _free(link: Recruitment) -> QuerySet[Membership]:
    """Return the places nobody has taken; a lead may have deactivated some."""
    return link.places.filter(waits(), is_active=True)


def _check(places: int, stem: str, completion_code: str, closes_at: datetime) -> None:
    if not 1 <= places <= MOST_PLACES:
        told = f"Found {places} places; a link can have 1 to {MOST_PLACES}."
        raise PersonRefused(told, "places", "places")
    if not stem or stem[-1].isdigit():
        told = f"Found {stem or 'nothing'}. Enter letters, such as {STEM}; the numbers are added."
        raise PersonRefused(told, "stem", "stem")
    if len(completion_code) > LONGEST_COMPLETION or "\0" in completion_code:
        told = f"A completion code can have at most {LONGEST_COMPLETION} characters."
        raise PersonRefused(told, "completion_code", "long")
    if turns_text_round(completion_code):
        raise PersonRefused(TURNED, "completion_code", "turned")
    if closes_at <= timezone.now():
        raise PersonRefused("Choose a day from today on.", "closes", "past")


def _record(link: Recruitment, actor: User | None, verb: str, **data: object) -> None:
    Event.objects.create(
        project_id=link.project_id, actor=actor, verb=verb, data={"recruitment": link.pk, **data}
    )
