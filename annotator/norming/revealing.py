"""Reveal the answers of a norming session, when everybody has answered or a lead decides so; close it."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from annotator.annotations.locking import bar_shown
from annotator.batches.closing import close_for_norming
from annotator.database.transactions import write_transaction
from annotator.models import Assignment, Batch, NormingSession, Project, Reference, User
from annotator.norming import sessions
from annotator.norming.sessions import FEWEST_PEOPLE, NormingRefused
from annotator.people.members import acting_lead
from annotator.signals import norming_judged
from annotator.training.references import add_reference
from annotator.work.jobs import request_job

EFFECT: Final = "norming_effect"
"""The job that compares a second round with the first; `analysis.norming` carries it out."""


def connect() -> None:
    """Reveal a session after the annotation that completes it is stored."""
    norming_judged.connect(_look, dispatch_uid="annotator.norming")


def _look(*, batch_id: int, **_: object) -> None:
    # Robust: the annotation is stored, so an error here must not reach the annotator.
    # A lead can still reveal.
    transaction.on_commit(partial(reveal_when_all_answered, batch_id), robust=True)


def reveal(*, session: NormingSession, actor: User) -> bool:
    """Reveal the answers, as a lead, and lock them; return False if they already are revealed.

    Drafts stay with their annotators. Raises NormingRefused if fewer than two people have answered, if a
    participant has reopened work on one of the images, or if the session has ended.
    """
    with write_transaction():
        now = sessions.held(session)
        acting_lead(now.project_id, actor)
        if now.state == NormingSession.State.CLOSED and not now.is_revealed:
            raise NormingRefused("This session has ended. Its annotations stay hidden.", "ended")
        if now.is_revealed:
            return False
        if working := _hold(now):
            raise NormingRefused(
                f"{', '.join(working)} reopened earlier work on these images, which the discussion would "
                "influence. Reveal the annotations once it is submitted again, or close its batch.",
                "work-open",
            )
        _reveal(now, actor, needs=FEWEST_PEOPLE)
    return True


def reveal_when_all_answered(batch: int) -> bool:
    """Reveal a session in which nobody has an image left; return whether this call did.

    Nobody waits for participants who have left. If one has reopened work on the images, a lead reveals it
    later. The Event has no actor.
    """
    with write_transaction():
        session = NormingSession.objects.filter(batch=batch).first()
        if session is None:
            return False
        now = sessions.held(session)
        if now.state != NormingSession.State.ANSWERING:
            return False
        # Locks out savers: what is read now stays so until the end.
        working = _hold(now)
        people = sessions.participants_of(now)
        if working or not all(person.done == person.total or person.has_left for person in people):
            return False
        if _answered(now) < FEWEST_PEOPLE:
            return False
        _reveal(now, None)
    return True


def compare_rounds(session: NormingSession, actor: User | None) -> None:
    """Request the comparison of a revealed second round with its first."""
    request_job(project=session.project, kind=EFFECT, data={"session": session.pk}, actor=actor)


def _reveal(session: NormingSession, actor: User | None, *, needs: int = 0) -> None:
    """Close the batch, then mark the session, which is held; the batch's row waits for savers under way."""
    close_for_norming(session.batch, actor)
    if needs and _answered(session) < needs:
        raise NormingRefused(
            "There is nothing to compare yet: fewer than two participants have submitted an annotation. "
            "Wait for them, or end the session.",
            "too-few-answers",
        )
    session.state = NormingSession.State.REVEALED
    session.revealed_at = timezone.now()
    session.save(update_fields=["state", "revealed_at"])
    facts = {"people": {person.code: person.done for person in sessions.participants_of(session)}}
    sessions.record(session, sessions.REVEALED, actor, facts)
    if session.follows_id is not None:
        compare_rounds(session, actor)


def _hold(session: NormingSession) -> list[str]:
    """Lock the batches of the session and of its participants' work on the images until the end.

    Return the codes of participants who can still change that work, which the discussion would influence.
    """
    people = [person.pk for person in sessions.participants_of(session) if not person.has_left]
    given = Assignment.objects.filter(annotator__in=people, image__in=session.images.values("image"))
    work = given.exclude(purpose__in=(Assignment.Purpose.NORMING, Assignment.Purpose.TRAINING)).order_by()
    batches = Batch.objects.filter(Q(pk=session.batch_id) | Q(pk__in=work.values("batch")))
    held = list(batches.select_for_update().order_by("pk").values_list("pk", flat=True))
    rows = work.filter(batch__in=held, status=Assignment.Status.OPEN)
    related = rows.select_related("image", "batch__project", "annotation", "annotator")
    working = {row.annotator.code for row in related if not bar_shown(row, getattr(row, "annotation", None))}
    return sorted(working)


def _answered(session: NormingSession) -> int:
    """Return how many participants have submitted at least one annotation."""
    done = Assignment.objects.filter(batch=session.batch_id, annotation__status="submitted").order_by()
    return int(done.aggregate(people=Count("annotator", distinct=True))["people"])


def close_session(*, session: NormingSession, references: Collection[int], actor: User) -> bool:
    """Close a session, as a lead; return False if it is closed already, which changes nothing.

    `references` are the ids of the session's images whose agreed value the lead confirms as reference; those
    without one are left out. A session that is not revealed ends without showing anything to anybody. Raises
    NormingRefused.
    """
    with write_transaction():
        # In the order of `start_session`: the project, then the session.
        Project.locked(session.project_id)
        now = sessions.held(session)
        acting_lead(now.project_id, actor)
        if now.state == NormingSession.State.CLOSED:
            return False
        agreed = now.images.filter(pk__in=references, agreed__isnull=False)
        rows = list(agreed.select_related("image__project"))
        for row in rows:
            add_reference(
                image=row.image,
                protocol=now.batch.protocol,
                payload=row.agreed,
                origin=Reference.Origin.NORMED,
                actor=actor,
            )
        close_for_norming(now.batch, actor)
        now.state = NormingSession.State.CLOSED
        now.save(update_fields=["state"])
        facts = {"revealed": now.is_revealed, "references": sorted(row.place for row in rows)}
        sessions.record(now, sessions.CLOSED, actor, facts)
    return True
