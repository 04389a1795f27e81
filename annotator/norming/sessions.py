"""Norming sessions: who takes part, who sees what, and how one is held while it changes.

A change locks the session's row first and its batch second; annotators hold the batch alone while they
save, so the two never wait for each other in a circle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import BooleanField, Count, ExpressionWrapper, F, Q, QuerySet

from annotator.inputs.refusal import Refusal
from annotator.models import Annotation, Assignment, Event, Membership, NormingSession, Project, User

FEWEST_PEOPLE: Final = 2
MOST_PEOPLE: Final = 20
FEWEST_IMAGES: Final = 3
MOST_IMAGES: Final = 12

STARTED: Final = "norming_started"
REVEALED: Final = "norming_revealed"
COMMENTED: Final = "norming_commented"
AGREED: Final = "norming_agreed"
CLOSED: Final = "norming_closed"


class NormingRefused(Refusal, ValueError):
    """A step of a norming session that is not possible; the message says why and what to do."""


def sessions_of(project: Project) -> QuerySet[NormingSession]:
    """Return a project's sessions, newest first, with batch and the session before."""
    rows = NormingSession.objects.filter(project=project).select_related("batch", "follows__batch")
    return rows.annotate(n_images=Count("images")).order_by("-pk")


def revealed_to(member: Membership) -> QuerySet[NormingSession]:
    """Return the sessions whose answers a participant may see, newest first; one query."""
    rows = NormingSession.objects.filter(batch__assignments__annotator=member, revealed_at__isnull=False)
    return rows.select_related("batch").order_by("-pk").distinct()


def participants_of(session: NormingSession) -> list[Any]:
    """Return the participants by code; `done` of `total` images are submitted or skipped. One query.

    Nobody waits for one who `has_left`: who can no longer sign in to this project.
    """
    ours = Q(assignments__batch=session.batch_id)
    unfinished = ours & Q(assignments__status=Assignment.Status.OPEN)
    left = Q(is_active=False) | Q(user__is_active=False)
    members = Membership.objects.filter(ours).annotate(
        total=Count("assignments", filter=ours),
        done=F("total") - Count("assignments", filter=unfinished),
        has_left=ExpressionWrapper(left, output_field=BooleanField()),
    )
    return list(members.order_by("code"))


def may_read(session: NormingSession, member: Membership) -> bool:
    """Tell whether a member may open a session: leads always, participants once it is revealed."""
    if member.role == Membership.Role.LEAD:
        return True
    given = Assignment.objects.filter(batch=session.batch_id, annotator=member)
    return session.is_revealed and given.exists()


def answers_of(session: NormingSession) -> QuerySet[Annotation]:
    """Return the submitted annotations of a session, by image and code."""
    made = Annotation.objects.filter(
        assignment__batch=session.batch_id,
        status=Annotation.Status.SUBMITTED,
    )
    return made.select_related("assignment__annotator", "assignment__batch").order_by(
        "assignment__image", "assignment__annotator__code"
    )


def held(session: NormingSession) -> NormingSession:
    """Return the session, reloaded and locked until the end of the transaction."""
    rows = NormingSession.objects.select_for_update(of=("self",)).select_related("batch", "project")
    return rows.get(pk=session.pk)


def record(
    session: NormingSession, verb: str, actor: User | None, facts: Mapping[str, object] | None = None
) -> None:
    """Record an Event of a session."""
    data = {"session": session.pk, "batch": session.batch_id, "name": session.batch.name, **(facts or {})}
    Event.objects.create(project_id=session.project_id, actor=actor, verb=verb, data=data)
