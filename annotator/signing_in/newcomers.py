"""Invited people who signed in at the OpenID provider but have no account here yet.

The session keeps their identity for a few minutes, until they accept the invitation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest

from annotator.models import Invitation
from annotator.people.invitations import InvitationState, state_of

INVITATION_KEY: Final = "invitation"
_KEY: Final = "newcomer"
_SECONDS: Final = 15 * 60


@dataclass(frozen=True)
class Newcomer:
    """An identity at the provider; `suggested` is the user name there."""

    provider: str
    uid: str
    suggested: str = ""


def opened_invitation(request: HttpRequest) -> Invitation | None:
    """Return the invitation whose link was opened in this session, whatever its state."""
    pk = request.session.get(INVITATION_KEY)
    return Invitation.objects.select_related("project").filter(pk=pk).first() if pk else None


def is_invited(request: HttpRequest) -> bool:
    """Tell whether an open invitation's link was opened in this session."""
    opened = opened_invitation(request)
    return opened is not None and state_of(opened) == InvitationState.OPEN


def remember(request: HttpRequest, newcomer: Newcomer) -> None:
    """Store the identity in the session."""
    request.session[_KEY] = [newcomer.provider, newcomer.uid, newcomer.suggested, int(time.time())]


def remembered(request: HttpRequest) -> Newcomer | None:
    """Return the stored identity unless it has expired."""
    kept = request.session.get(_KEY)
    if not kept or time.time() - kept[3] > _SECONDS:
        return None
    return Newcomer(*kept[:3])


def forget(request: HttpRequest) -> None:
    """Remove the identity from the session."""
    request.session.pop(_KEY, None)
