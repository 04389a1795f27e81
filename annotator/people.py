"""Accounts and their place in a project."""

from __future__ import annotations

import secrets

from annotator.models import Event, Membership, Project, User
from annotator.transactions import write_transaction


class PersonRefused(ValueError):
    """The person cannot join; the message says why and what to do."""


def add_person(
    *, project: Project, username: str, role: str, code: str = "", actor: User | None = None
) -> tuple[Membership, str]:
    """Give a person a role in a project, and an account if there is none yet.

    Returns the membership and the password of a new account ('' for one that could sign in already).
    `code` takes over the person of that code, who came with an import. Raises PersonRefused.
    """
    if role not in Membership.Role.values:
        raise PersonRefused(f"There is no role {role!r}. Roles: {', '.join(Membership.Role.values)}.")
    with write_transaction():
        user, password = _account(username)
        if project.memberships.filter(user=user).exists():
            raise PersonRefused(f"{username} is in {project.slug} already.")
        membership = _membership(project, user, role, code or username)
        data = {"username": username, "role": role, "code": membership.code}
        Event.objects.create(project=project, actor=actor, verb="person_added", data=data)
    return membership, password


def _account(username: str) -> tuple[User, str]:
    user, _ = User.objects.get_or_create(username=username)
    if user.has_usable_password() and user.password and user.is_active:
        return user, ""
    password = "-".join(secrets.token_hex(2) for _ in range(4))
    user.set_password(password)
    user.is_active = True
    user.save()
    return user, password


def _membership(project: Project, user: User, role: str, code: str) -> Membership:
    found = project.memberships.filter(code=code).select_related("user").first()
    if found is None:
        return Membership.objects.create(project=project, user=user, role=role, code=code)
    if found.user is not None and found.user.has_usable_password() and found.user.is_active:
        raise PersonRefused(f"The code {code} belongs to {found.user.username} in {project.slug}.")
    found.user, found.role, found.is_active = user, role, True
    found.save(update_fields=["user", "role", "is_active"])
    return found
