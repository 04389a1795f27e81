"""Who may open a norming session, and what its page shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.http import Http404, HttpRequest

from annotator.exchange.formats.names import whole_number
from annotator.models import Membership, NormedImage, NormingSession, User
from annotator.norming import sessions
from annotator.norming.grids import grid_of
from annotator.people.access import LARGEST_KEY, membership_of
from annotator.people.preferences import preferences_of
from scoring.service import get_protocol


def session_for(request: HttpRequest, slug: str, pk: int) -> tuple[NormingSession, Membership]:
    """Return a session and the member who asks; raises Http404, for participants until it is revealed."""
    member = membership_of(request.user, slug)
    rows = NormingSession.objects.filter(project=member.project_id, pk=min(pk, LARGEST_KEY))
    session = rows.select_related("batch", "project", "follows__batch").first()
    if session is None or not sessions.may_read(session, member):
        raise Http404("No such session.")
    return session, member


def session_as_lead(request: HttpRequest, slug: str, pk: int) -> NormingSession:
    """Return a session of a project that the user leads; raises Http404."""
    session, member = session_for(request, slug, pk)
    if member.role != Membership.Role.LEAD:
        raise Http404("No such session.")
    return session


def context_of(
    request: HttpRequest,
    session: NormingSession,
    member: Membership,
    *,
    data: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what the page shows; the number of queries does not depend on images, people or comments."""
    images = list(session.images.select_related("image", "decided_by").filter(image__goes_at=None))
    is_lead = member.role == Membership.Role.LEAD
    context: dict[str, Any] = {
        "project": session.project,
        "section": "training" if is_lead else "",
        "session": session,
        "protocol": get_protocol(session.batch.protocol),
        "is_lead": is_lead,
        "participants": sessions.participants_of(session),
        "images": images,
        "stage": "open" if session.is_open else str(session.state),
    }
    if not session.is_revealed:
        done = sum(person.done for person in context["participants"])
        return context | {"stamp": f"{session.state}.{done}"}
    normed = _among(request, images)
    if normed is not None:
        normed.session = session
        answers = list(sessions.answers_of(session).filter(assignment__image=normed.image_id))
        comments = list(normed.comments.select_related("author"))
        last = comments[-1].pk if comments else 0
        grid = grid_of(normed, session.batch.protocol, answers, comments, data)
        context |= {
            "normed": normed,
            "grid": grid,
            "form": grid["form"],
            "single_keys": isinstance(request.user, User) and preferences_of(request.user)["single_keys"],
            "comments": comments,
            "stamp": f"{session.state}.{normed.version}.{last}",
            "request_key": uuid4(),
        }
    return context | {
        "agreed": sum(image.agreed is not None for image in images),
        "second": NormingSession.objects.filter(follows=session).select_related("batch").first(),
    }


def shown(request: HttpRequest, session: NormingSession) -> NormedImage:
    """Return the image of a revealed session that the request is about; raises Http404 without any."""
    images = list(session.images.select_related("image", "decided_by").filter(image__goes_at=None))
    normed = _among(request, images)
    if normed is None:
        raise Http404("No such image.")
    normed.session = session
    return normed


def _among(request: HttpRequest, images: list[NormedImage]) -> NormedImage | None:
    """Return the image that `?image=` names by its place, or else the first."""
    asked = whole_number(request.GET.get("image", ""))
    return next((image for image in images if image.place == asked), images[0] if images else None)
