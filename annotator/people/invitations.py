"""Invitations: a link that lets one person into a project, once, until it expires.

The link's secret is 256 random bits. Only its SHA-256 is stored, and no Event says more than the code: who
reads the database, a backup or the log cannot join with it.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from hashlib import sha256
from typing import Final

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.db.models import QuerySet, TextChoices
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.models import Event, Invitation, Membership, Project, User
from annotator.people.codes import PersonRefused, check_not_promised, check_user_name, member_to_take_over
from annotator.people.members import join_project, lock_people

SECRET_BYTES: Final = 32
DAYS: Final = 7
MOST_DAYS: Final = 90
LONGEST_NOTE: Final = 200


class State(TextChoices):
    """What has become of an invitation."""

    OPEN = "open", "Open"
    USED = "used", "Used"
    REVOKED = "revoked", "Revoked"
    EXPIRED = "expired", "Expired"


class NotOpen(Exception):
    """The invitation is used, revoked or expired, or its project deleted, perhaps since a moment ago."""


class AlreadyMember(Exception):
    """The person is in the project; the invitation is not used up."""


def new_secret() -> str:
    """Return the secret of a link that is still to be made."""
    return secrets.token_urlsafe(SECRET_BYTES)


def invite(
    *,
    project: Project,
    role: str,
    code: str,
    secret: str,
    note: str = "",
    days: int = DAYS,
    actor: User | None,
) -> Invitation:
    """Store an invitation for `days` days and return it; a repeated secret returns the first one.

    `code` is new, or that of an imported person whom the invited one becomes. Raises PersonRefused.
    """
    _check_settings(role, note, days)
    digest = _digest(secret)
    with write_transaction():
        lock_people(project)
        if made := project.invitations.filter(secret_sha256=digest).first():
            return made
        member_to_take_over(project, code)
        check_not_promised(project, code)
        made = Invitation.objects.create(
            project=project,
            role=role,
            code=code,
            note=note,
            secret_sha256=digest,
            made_by=actor,
            expires_at=timezone.now() + timedelta(days=days),
        )
        _record(made, actor, "person_invited", expires_at=made.expires_at.isoformat())
    return made


def revoke_invitation(*, invitation: Invitation, actor: User | None) -> bool:
    """Make an open or expired link useless; returns False where it is used or revoked already."""
    with write_transaction():
        lock_people(invitation.project)
        unused = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
        if unused.update(revoked_at=timezone.now()) != 1:
            return False
        _record(invitation, actor, "invitation_revoked")
    return True


def invitation_with(secret: str) -> Invitation | None:
    """Return the invitation that a secret belongs to, whatever has become of it."""
    return Invitation.objects.filter(secret_sha256=_digest(secret)).first()


def state_of(invitation: Invitation) -> State:
    """Return what has become of an invitation."""
    if invitation.used_at is not None:
        return State.USED
    if invitation.revoked_at is not None or invitation.project.goes_at is not None:
        return State.REVOKED
    return State.OPEN if timezone.now() < invitation.expires_at else State.EXPIRED


def invitations_of(project: Project) -> QuerySet[Invitation]:
    """Return a project's invitations, the latest first, with who made them and whom they let in."""
    return project.invitations.select_related("made_by", "membership").order_by("-pk")


def accept_invitation(*, invitation: Invitation, user: User) -> Membership:
    """Let an account into the project and use the invitation up, both or neither.

    Of several at once exactly one gets in. Raises NotOpen, AlreadyMember, and PersonRefused where somebody
    else has got the code since.
    """
    with write_transaction():
        return _accept(invitation, user, new_account=False)


def accept_with_new_account(*, invitation: Invitation, username: str, password: str) -> Membership:
    """Make an account and let it into the project; nothing is stored unless both can be done.

    Raises NotOpen and PersonRefused, the latter also for a user name that is taken (`field` says which).
    """
    hashed = make_password(password)  # slow on purpose, so before anybody has to wait for the database
    with write_transaction():
        return _accept(invitation, _new_account(username, hashed), new_account=True)


def accept_with_identity(*, invitation: Invitation, username: str, provider: str, uid: str) -> Membership:
    """Make an account that the OpenID provider signs in, and let it into the project; all of it or nothing.

    Raises NotOpen and PersonRefused as above, the latter also for an identity that another account has.
    """
    with write_transaction():
        user = _new_account(username, make_password(None))
        try:
            with transaction.atomic():
                SocialAccount.objects.create(user=user, provider=provider, uid=uid)
        except IntegrityError as error:
            raise PersonRefused(
                "That identity has an account here by now. Sign in with it.", "username"
            ) from error
        return _accept(invitation, user, new_account=True)


def _new_account(username: str, hashed: str) -> User:
    check_user_name(username)
    try:
        with transaction.atomic():
            return User.objects.create(username=username, password=hashed)
    except IntegrityError as error:
        raise PersonRefused("That user name is taken. Choose another.", "username", "taken") from error


def _accept(invitation: Invitation, user: User, *, new_account: bool) -> Membership:
    project = invitation.project
    lock_people(project)
    if project.memberships.filter(user=user).exists():
        raise AlreadyMember
    now = timezone.now()
    usable = Invitation.objects.filter(
        pk=invitation.pk, used_at=None, revoked_at=None, expires_at__gt=now, project__goes_at=None
    )
    if usable.update(used_at=now) != 1:
        raise NotOpen
    membership = join_project(project, user, invitation.role, invitation.code)
    Invitation.objects.filter(pk=invitation.pk).update(membership=membership)
    _record(invitation, user, "invitation_accepted", account=user.pk, new_account=new_account)
    return membership


def _check_settings(role: str, note: str, days: int) -> None:
    if role not in Membership.Role.values:
        raise PersonRefused(f"There is no role {role!r}.", "role")
    if len(note) > LONGEST_NOTE or "\0" in note:
        raise PersonRefused(f"A note has at most {LONGEST_NOTE} characters.", "note")
    if turns_text_round(note):
        raise PersonRefused(TURNED, "note")
    if not 1 <= days <= MOST_DAYS:
        raise PersonRefused(f"A link works for 1 to {MOST_DAYS} days.", "days")


def _record(invitation: Invitation, actor: User | None, verb: str, **more: object) -> None:
    """Leave an Event. The note stays out: it is free text about a person, and Events are for ever."""
    data = {"invitation": invitation.pk, "role": invitation.role, "code": invitation.code, **more}
    Event.objects.create(project_id=invitation.project_id, actor=actor, verb=verb, data=data)


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
