"""One invitation whose link is known."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from annotator.models import Invitation, Project, User
from annotator.people.codes import PersonRefused
from annotator.people.inviting_many import LinesRefused, invite_many
from annotator.people.secrets import digest_of, new_secret


def invite(
    project: Project,
    code: str = "ann1",
    secret: str = "",
    *,
    role: str = "annotator",
    actor: User | None = None,
) -> Invitation:
    """Invite one person by a line, as the page does, with this `secret` in the link; raises PersonRefused."""
    secret = secret or new_secret()
    try:
        [made] = invite_many(project=project, text=f"{code}, {role}", seed=secret, actor=actor)
    except LinesRefused as refused:
        [first, *_] = refused.refusals
        raise PersonRefused(first.message, "code", first.code) from refused
    made.invitation.secret_sha256 = digest_of(secret)
    made.invitation.save(update_fields=["secret_sha256"])
    return made.invitation


def expire(invitation: Invitation) -> None:
    """Let the invitation end a second ago."""
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
