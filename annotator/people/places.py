"""Places: members who keep a code and its assignments for somebody who has not joined; states of links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

from django.contrib.auth.hashers import make_password
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextChoices
from django.utils import timezone

from annotator.models import Assignment, Batch, Invitation, Membership, Project, User
from annotator.models.counting import is_work
from annotator.people.codes import waiting_members, waits_for_its_person


class InvitationState(TextChoices):
    """The state of an invitation."""

    OPEN = "open", "Open"
    USED = "used", "Used"
    REVOKED = "revoked", "Revoked"
    EXPIRED = "expired", "Expired"


class InvitationClosed(Exception):
    """The link is used, revoked or expired, or its project is being deleted."""


MOST_TOLD: Final = 20
"""Abandoned places that a page lists."""


def hold_places(
    project: Project, codes: Sequence[str], recruitment: Invitation | None = None
) -> list[Membership]:
    """Make an annotator for each new code; call inside a transaction.

    Their accounts, with Django's unusable password, wait until an invitation is accepted.
    """
    accounts = User.objects.bulk_create(
        User(username=f"place-{uuid4()}", is_active=False, password=make_password(None)) for _ in codes
    )
    return Membership.objects.bulk_create(
        Membership(
            project=project,
            user=account,
            role=Membership.Role.ANNOTATOR,
            code=code,
            recruitment=recruitment,
        )
        for code, account in zip(codes, accounts, strict=True)
    )


def forget_account(held: User) -> None:
    """Delete an account that only held a place."""
    User.objects.filter(pk=held.pk, is_active=False, memberships=None).delete()


def leave_places(members: Sequence[Membership]) -> int:
    """Remove places that nothing was ever assigned to; returns how many remain because of their assignments.

    Call inside a transaction that locks the project's people, which also excludes a release.
    """
    found = Membership.objects.filter(pk__in=[member.pk for member in members]).select_related("user")
    waiting = [member for member in found if waits_for_its_person(member)]
    needed = set(
        Assignment.objects.filter(annotator__in=[member.pk for member in waiting]).values_list(
            "annotator", flat=True
        )
    )
    going = [member for member in waiting if member.pk not in needed]
    Membership.objects.filter(pk__in=[member.pk for member in going]).delete()
    User.objects.filter(
        pk__in=[member.user_id for member in going], is_active=False, memberships=None
    ).delete()
    return len(needed)


def with_invitations(members: QuerySet[Membership]) -> QuerySet[Membership]:
    """Add `is_invited` to members: whether an open invitation leads to their code."""
    invited = Invitation.objects.filter(
        Q(code=OuterRef("code")) | Q(pk=OuterRef("recruitment")),
        project=OuterRef("project"),
        used_at=None,
        revoked_at=None,
        expires_at__gt=timezone.now(),
    )
    return members.annotate(is_invited=Exists(invited)).select_related("user")


def abandoned_places(project: Project) -> QuerySet[Membership, Any]:
    """Return members without an account whom no open link leads to, with their `unfinished` images, by code.

    Only those with open assignments in open batches: their images wait for nobody.
    """
    waits = is_work("assignments__") & Q(
        assignments__status=Assignment.Status.OPEN, assignments__batch__status=Batch.Status.OPEN
    )
    waiting = with_invitations(waiting_members(project).filter(is_active=True)).filter(
        Q(("is_invited", False))
    )
    return waiting.annotate(unfinished=Count("assignments", filter=waits)).filter(unfinished__gt=0)
