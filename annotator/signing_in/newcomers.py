"""Invited people who signed in at the OpenID provider but have no account here yet.

The session keeps their identity for a few minutes, until they accept the invitation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest

from annotator.models import Invitation, Recruited
from annotator.people.invitations import state_of
from annotator.people.panels import brought_by
from annotator.people.places import InvitationState

LINK_KEY: Final = "link"
PANEL_KEY: Final = "panel"
_KEY: Final = "newcomer"
_SECONDS: Final = 15 * 60


@dataclass(frozen=True)
class Newcomer:
    """An identity at the provider; `suggested` is the user name there."""

    provider: str
    uid: str
    suggested: str = ""


def opened_invitation(request: HttpRequest) -> Invitation | None:
    """Return the invitation opened last in this session, whatever its state."""
    pk = request.session.get(LINK_KEY)
    return Invitation.objects.select_related("project").filter(pk=pk).first() if pk else None


def remember_link(request: HttpRequest, opened: Invitation | None) -> None:
    """Store the opened link in the session, in place of an earlier one.

    A panel's ids in its address are kept, too, but who was sent back before does not begin again.
    """
    before = panel_state(request)
    forget_link(request)
    if opened is not None:
        request.session[LINK_KEY] = opened.pk
    if opened is not None and opened.recruits:
        ended = before.get("link") == opened.pk and "ended" in before
        request.session[PANEL_KEY] = before if ended else {"link": opened.pk, **brought_by(request.GET)}


def panel_state(request: HttpRequest) -> dict[str, Any]:
    """Return what this session knows of the way in by a `link`: fields of `Recruited`, or how it `ended`."""
    return dict(request.session.get(PANEL_KEY, {}))


def panel_entry(request: HttpRequest) -> Recruited:
    """Return what the session's person has brought and said so far, not stored yet."""
    state = panel_state(request)
    return Recruited(**{name: state[name] for name in state.keys() - {"link", "ended"}})


def forget_link(request: HttpRequest) -> None:
    """Remove the opened link from the session."""
    for key in (LINK_KEY, PANEL_KEY):
        request.session.pop(key, None)


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
