"""Somebody invited who signed in at the OpenID provider and has no account here yet.

Who it was is kept in the session of the browser, for a few minutes, until the invitation is accepted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest

from annotator.models import Invitation
from annotator.people.invitations import State, state_of

INVITATION_KEY: Final = "invitation"
_KEY: Final = "newcomer"
_SECONDS: Final = 15 * 60


@dataclass(frozen=True)
class Newcomer:
    """An identity at the provider; `suggested` is what they are called there."""

    provider: str
    uid: str
    suggested: str = ""


def opened_invitation(request: HttpRequest) -> Invitation | None:
    """Return the invitation whose link this browser has opened, whatever has become of it."""
    pk = request.session.get(INVITATION_KEY)
    return Invitation.objects.select_related("project").filter(pk=pk).first() if pk else None


def is_invited(request: HttpRequest) -> bool:
    """Tell whether this browser has opened an invitation that still stands."""
    opened = opened_invitation(request)
    return opened is not None and state_of(opened) == State.OPEN


def remember(request: HttpRequest, newcomer: Newcomer) -> None:
    """Keep who it was."""
    request.session[_KEY] = [newcomer.provider, newcomer.uid, newcomer.suggested, int(time.time())]


def remembered(request: HttpRequest) -> Newcomer | None:
    """Return who it was, if that was a moment ago."""
    kept = request.session.get(_KEY)
    if not kept or time.time() - kept[3] > _SECONDS:
        return None
    return Newcomer(*kept[:3])


def forget(request: HttpRequest) -> None:
    """The invitation is accepted, or somebody else sits here."""
    request.session.pop(_KEY, None)
