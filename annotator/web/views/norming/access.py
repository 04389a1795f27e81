"""Who may open a norming session."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from annotator.models import Membership, NormingSession
from annotator.norming.sessions import may_read
from annotator.people.access import LARGEST_KEY, membership_of


def session_for(request: HttpRequest, slug: str, pk: int) -> tuple[NormingSession, Membership]:
    """Return a session and the member who asks; raises Http404, for participants until it is revealed."""
    member = membership_of(request.user, slug)
    found = NormingSession.objects.filter(project=member.project_id, pk=min(pk, LARGEST_KEY))
    session = found.select_related("batch", "project", "follows__batch").first()
    if session is None or not may_read(session, member):
        raise Http404("No such session.")
    return session, member


def session_as_lead(request: HttpRequest, slug: str, pk: int) -> NormingSession:
    """Return a session of a project that the user leads; raises Http404."""
    session, member = session_for(request, slug, pk)
    if member.role != Membership.Role.LEAD:
        raise Http404("No such session.")
    return session
