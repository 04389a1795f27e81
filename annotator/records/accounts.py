"""Accounts: what is recorded of them, and their deletion.

Annotations belong to a project and stay there under the annotator's code; identifying data are deleted with
the account. Events refer to accounts by number only.
"""

from __future__ import annotations

from typing import Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from annotator.database.transactions import write_transaction
from annotator.models import Event, Membership, Project, User
from annotator.people.codes import PersonRefused
from annotator.people.panels import forget_panel_ids
from annotator.people.tokens import revoke_all

GONE: Final = "deleted-{}"


def record_account(verb: str, user: User, *, actor: User | None) -> None:
    """Record an Event about an account, outside any project."""
    Event.objects.create(project=None, actor=actor, verb=verb, data={"account": user.pk})


def delete_account(*, user: User, actor: User | None) -> None:
    """Remove all personal data from an account and close it, with an Event in each of its projects.

    Raises PersonRefused with the projects of which the account is the last lead.
    """
    with write_transaction():
        memberships = list(user.memberships.select_related("project").order_by("project_id"))
        for member in memberships:
            Project.locked(member.project_id)
        _refuse_last_lead(user)
        revoke_all(user)
        user.memberships.update(is_active=False)
        Event.objects.bulk_create(
            Event(
                project_id=member.project_id,
                actor=actor,
                verb="account_deleted",
                data={"membership": member.pk, "code": member.code, "account": user.pk},
            )
            for member in memberships
        )
        if not memberships:
            record_account("account_deleted", user, actor=actor)
        forget_panel_ids(Membership.objects.filter(user=user))
        for keys in (Authenticator, SocialAccount, EmailAddress):
            keys.objects.filter(user=user).delete()
        _blank(user)


def _refuse_last_lead(user: User) -> None:
    leads = Membership.objects.filter(
        role=Membership.Role.LEAD, is_active=True, user__is_active=True, project__goes_at=None
    )
    others = leads.exclude(user=user).values("project")
    alone = leads.filter(user=user).exclude(project__in=others).order_by("project__name")
    names = list(alone.values_list("project__name", flat=True))
    if names:
        listed = ", ".join(f"“{name}”" for name in names)
        told = f"You are the last lead of {listed}. Give another member the role lead first."
        raise PersonRefused(told, code="last-lead")


def _blank(user: User) -> None:
    user.username = GONE.format(user.pk)
    user.first_name = user.last_name = user.email = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.preferences = {}
    user.set_unusable_password()
    user.groups.clear()
    user.user_permissions.clear()
    user.save()
