"""Invitations: links with which one person or, recruited, several people join a project until they expire.

The secret of a link is the invitation's number, signed with SECRET_KEY. It is stored nowhere, so database,
backup and log cannot be used to join.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.hashers import make_password
from django.core.signing import BadSignature, Signer
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import Event, Invitation, Membership, Project, Recruited, User
from annotator.people.codes import PersonRefused, check_user_name
from annotator.people.members import join_project
from annotator.people.places import InvitationClosed, InvitationState, leave_places
from annotator.people.recruiting import free_places, take_place

DAYS: Final = 14
"""For which a link to one person is valid."""


class AlreadyMember(Exception):
    """The person is already a member; the invitation stays valid."""


def revoke_invitation(*, invitation: Invitation, actor: User | None) -> bool:
    """Revoke an open or expired invitation; returns False if it is already used or revoked.

    The places it made and nobody took go too, unless images were assigned to them.
    """
    with write_transaction():
        Project.locked(invitation.project.pk)
        unused = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
        if unused.update(revoked_at=timezone.now()) != 1:
            return False
        held = free_places(invitation)
        if invitation.made_place:
            held = invitation.project.memberships.filter(code=invitation.code)
        remain = leave_places(list(held))
        event_of(invitation, actor, "invitation_revoked", remain=remain).save()
    return True


def secret_of(invitation: Invitation) -> str:
    """Return the secret of an invitation's link."""
    return _signer().sign(str(invitation.pk))


def invitation_with(secret: str) -> Invitation | None:
    """Return the invitation with this secret, whatever its state."""
    try:
        return Invitation.objects.filter(pk=_signer().unsign(secret)).first()
    except BadSignature:
        return None


def _signer() -> Signer:
    return Signer(salt="invitation", sep=".")


def state_of(invitation: Invitation) -> InvitationState:
    """Return the state of an invitation; a recruitment link is used when it has no place left.

    No query with the counts of `recruitments_of`.
    """
    if invitation.revoked_at is not None or invitation.project.goes_at is not None:
        return InvitationState.REVOKED
    if invitation.used_at is not None:
        return InvitationState.USED
    if timezone.now() >= invitation.expires_at:
        return InvitationState.EXPIRED
    if not invitation.recruits:
        return InvitationState.OPEN
    made = getattr(invitation, "made", None)
    free = free_places(invitation).exists() if made is None else made > getattr(invitation, "joined", 0)
    return InvitationState.OPEN if free else InvitationState.USED


def invitations_of(project: Project) -> QuerySet[Invitation]:
    """Return a project's invitations of one person each, the latest first, with their creators."""
    return project.invitations.exclude(code="").select_related("made_by").order_by("-pk")


@dataclass(frozen=True)
class NewAccount:
    """An account to create: with a password, or linked to the identity `uid` at an OpenID `provider`."""

    username: str
    password: str | None = None
    provider: str = ""
    uid: str = ""


def accept_invitation(
    *, invitation: Invitation, user: User | NewAccount, entry: Recruited | None = None
) -> Membership:
    """Add an account, perhaps a new one, to the project and mark the invitation as used: all or nothing.

    Of several concurrent attempts, exactly one succeeds, or one for each place of a recruitment link. Raises
    InvitationClosed, AlreadyMember, and PersonRefused if the code has been taken since, the link asks for
    more than the `entry` has, or a new account's user name or identity is taken (see `field`).
    """
    # Slow on purpose, so done before the transaction.
    hashed = "" if isinstance(user, User) else make_password(user.password)
    with write_transaction():
        if isinstance(user, User):
            return _accept(invitation, user, entry, new_account=False)
        return _accept(invitation, _created(user, hashed), entry, new_account=True)


def _created(account: NewAccount, hashed: str) -> User:
    check_user_name(account.username)
    try:
        with transaction.atomic():
            user = User.objects.create(username=account.username, password=hashed)
    except IntegrityError as error:
        raise PersonRefused("That user name is taken. Choose another.", "username", "taken") from error
    if not account.provider:
        return user
    try:
        with transaction.atomic():
            SocialAccount.objects.create(user=user, provider=account.provider, uid=account.uid)
    except IntegrityError as error:
        raise PersonRefused(
            "That identity is already linked to an account here. Sign in with it.", "username"
        ) from error
    return user


def _accept(invitation: Invitation, user: User, entry: Recruited | None, *, new_account: bool) -> Membership:
    project = invitation.project
    Project.locked(project.pk)
    if project.memberships.filter(user=user).exists():
        raise AlreadyMember
    usable = Invitation.objects.filter(
        pk=invitation.pk, used_at=None, revoked_at=None, expires_at__gt=timezone.now(), project__goes_at=None
    )
    if invitation.recruits:
        if not usable.exists():
            raise InvitationClosed
        membership = take_place(invitation, user, entry or Recruited())
    else:
        if usable.update(used_at=timezone.now()) != 1:
            raise InvitationClosed
        membership = join_project(project, user, invitation.role, invitation.code)
    facts = {"code": membership.code, "account": user.pk, "new_account": new_account}
    event_of(invitation, user, "invitation_accepted", **facts).save()
    return membership


def event_of(invitation: Invitation, actor: User | None, verb: str, **more: object) -> Event:
    """Return an Event of an invitation, not stored."""
    data = {"invitation": invitation.pk, "role": invitation.role, "code": invitation.code, **more}
    return Event(project_id=invitation.project_id, actor=actor, verb=verb, data=data)
