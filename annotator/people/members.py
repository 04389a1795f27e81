"""Members: accounts, their roles in projects, and the work that waits for them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Count, OuterRef, Q, QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import Assignment, Batch, Event, Membership, Project, User
from annotator.models.counting import is_labelled_here, is_work, per_row
from annotator.people.codes import PersonRefused, check_user_name, member_to_take_over
from annotator.people.places import forget_account


def add_person(*, project: Project, username: str, role: str, code: str = "") -> tuple[Membership, str]:
    """Give a person a role in a project, creating an account if needed.

    Returns the membership and the password of a new account ('' for one that could already sign in).
    `code` takes over the imported member with that code. Raises PersonRefused.
    """
    _check_role(role)
    with write_transaction():
        Project.locked(project.pk)
        user, password = _account(username)
        if project.memberships.filter(user=user).exists():
            raise PersonRefused(f"{username} is already a member of {project.slug}.")
        membership = join_project(project, user, role, code or username)
        # Not the user name: Events are permanent, accounts may be deleted.
        data = {"account": user.pk, "role": role, "code": membership.code}
        Event.objects.create(project=project, verb="person_added", data=data)
    return membership, password


def join_project(project: Project, user: User, role: str, code: str) -> Membership:
    """Make an account a member with a code, or take over the imported member; inside a transaction.

    Raises PersonRefused if the code is taken or invalid.
    """
    found = member_to_take_over(project, code)
    if found is None:
        return Membership.objects.create(project=project, user=user, role=role, code=code)
    held = found.user
    # The place is older than the person's time in the project, which the page and “no activity” count from.
    found.user, found.role, found.is_active, found.created_at = user, role, True, timezone.now()
    found.save(update_fields=["user", "role", "is_active", "created_at"])
    if held is not None:
        forget_account(held)
    return found


def change_role(*, membership: Membership, role: str, actor: User | None) -> bool:
    """Change a member's role; returns whether anything changed.

    Raises PersonRefused for the last lead, and for a lead's own role.
    """
    _check_role(role)
    return _change(membership, actor, "role_changed", role=role)


def deactivate_person(*, membership: Membership, actor: User | None) -> bool:
    """Deactivate a member, keeping their annotations; returns whether anything changed.

    Their unfinished assignments stay theirs until the batch's annotators are changed.
    Raises PersonRefused for the last lead, and for the actor's own membership.
    """
    return _change(membership, actor, "person_deactivated", is_active=False)


def reactivate_person(*, membership: Membership, actor: User | None) -> bool:
    """Reactivate a member; returns whether anything changed."""
    return _change(membership, actor, "person_reactivated", is_active=True)


def open_work_by_batch(membership: Membership) -> QuerySet[Batch]:
    """Return the batches with open assignments of a member, with the counts `unfinished` and `begun`."""
    own = is_work("assignments__") & Q(
        assignments__annotator=membership, assignments__status=Assignment.Status.OPEN
    )
    return (
        Batch.objects.filter(own)
        .annotate(unfinished=Count("assignments"), begun=Count("assignments__annotation"))
        .order_by("pk")
    )


def active_memberships(user: User) -> QuerySet[Membership]:
    """Return a user's memberships by project name, without deleted projects."""
    return all_memberships(user).filter(project__goes_at=None)


def all_memberships(user: User) -> QuerySet[Membership]:
    """Return a user's memberships by project name, also of projects being deleted."""
    return (
        Membership.objects.filter(user=user, is_active=True)
        .select_related("project")
        .order_by("project__name", "pk")
    )


def with_waiting(memberships: QuerySet[Membership]) -> QuerySet[Membership]:
    """Annotate each membership with its number of assignments (`owed`) and of open ones (`waiting`).

    Imported annotations are not counted.
    """
    held = Assignment.objects.filter(is_labelled_here(), annotator=OuterRef("pk"), position__isnull=False)
    own = held.order_by().values("annotator")
    still_open = Count("pk", filter=Q(status=Assignment.Status.OPEN, batch__status=Batch.Status.OPEN))
    return memberships.annotate(owed=per_row(own, Count("pk")), waiting=per_row(own, still_open))


def _change(membership: Membership, actor: User | None, verb: str, **wanted: Any) -> bool:
    with write_transaction():
        Project.locked(membership.project_id)
        current = Membership.objects.select_related("user").get(pk=membership.pk)
        replaced = {name: getattr(current, name) for name in wanted}
        if replaced == wanted:
            return False
        if _leads(current):  # any change ends their role as lead
            _check_can_go(current, actor)
        Membership.objects.filter(pk=current.pk).update(**wanted)
        data = {"membership": current.pk, "code": current.code, "replaced": replaced, **wanted}
        Event.objects.create(project_id=current.project_id, actor=actor, verb=verb, data=data)
    membership.refresh_from_db()
    return True


def acting_lead(project: int, actor: User | None) -> Membership:
    """Return the acting lead of a living project, reloaded; raises PermissionDenied for anybody else.

    Pages have asked already: this refuses somebody who has lost the right in the meantime.
    """
    leads = Membership.objects.select_related("project").filter(
        project=project,
        project__goes_at=None,
        user=actor,
        user__is_active=True,
        is_active=True,
        role=Membership.Role.LEAD,
    )
    lead = leads.first()
    if lead is None:
        raise PermissionDenied("Only a lead of the project can do this.")
    return lead


def _active_leads(project: int) -> QuerySet[Membership]:
    return Membership.objects.filter(
        project=project, role=Membership.Role.LEAD, is_active=True, user__is_active=True
    )


def _check_can_go(lead: Membership, actor: User | None) -> None:
    if actor is not None and lead.user_id == actor.pk:
        told = "You cannot remove your own rights. Ask another lead of the project."
        raise PersonRefused(told, code="own-rights")
    if not _active_leads(lead.project_id).exclude(pk=lead.pk).exists():
        told = f"{lead.code} is the project's only lead. Make another member a lead first."
        raise PersonRefused(told, code="last-lead")


def _leads(member: Membership) -> bool:
    return member.is_active and member.has_account and member.role == Membership.Role.LEAD


def _check_role(role: str) -> None:
    known: Sequence[str] = Membership.Role.values
    if role not in known:
        raise PersonRefused(f"There is no role {role!r}. Roles: {', '.join(known)}.", "role")


def _account(username: str) -> tuple[User, str]:
    user = User.objects.filter(username=username).first()
    if user is None:
        check_user_name(username)
        user = User.objects.create(username=username)
    if user.has_usable_password() and user.password and user.is_active:
        return user, ""
    password = "-".join(secrets.token_hex(2) for _ in range(4))
    user.set_password(password)
    user.is_active = True
    user.save()
    return user, password
