"""One invitation, as a line of the page makes it."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

from django.utils import timezone

from annotator.models import Invitation, Project, User
from annotator.people.codes import PersonRefused
from annotator.people.inviting_many import LinesRefused, invite_many


def invite(
    project: Project,
    code: str = "ann1",
    request_key: UUID | None = None,
    *,
    role: str = "annotator",
    actor: User | None = None,
) -> Invitation:
    """Invite one person by a line, as the page does; raises PersonRefused."""
    key, text = request_key or uuid4(), f"{code}, {role}"
    try:
        [(_, made)] = invite_many(project=project, text=text, request_key=key, actor=actor)
    except LinesRefused as refused:
        [first, *_] = refused.refusals
        raise PersonRefused(first.message, "code", first.code) from refused
    return made


def expire(invitation: Invitation) -> None:
    """Let the invitation end a second ago."""
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
