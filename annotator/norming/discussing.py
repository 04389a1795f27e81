"""Discuss revealed answers: comments and agreed values.

Texts are rows, never in Events, which outlive a purge: an Event says who did what to which row.
"""

from __future__ import annotations

from uuid import UUID

from annotator.annotations.questions import InvalidText, checked_text
from annotator.annotations.saving import checked_annotation
from annotator.database.transactions import write_transaction
from annotator.models import Membership, NormedImage, NormingComment, NormingSession, User
from annotator.norming import sessions
from annotator.norming.sessions import NormingRefused
from annotator.protocols.registry import page_of
from scoring.service import get_protocol


class ValueChanged(NormingRefused):
    """Another lead has stored a value in the meantime; `current` is the image's row."""

    def __init__(self, current: NormedImage) -> None:
        who = current.decided_by.code if current.decided_by else "Somebody"
        super().__init__(
            f"Not saved: {who} has changed this value in the meantime. Your entries are kept. Compare them "
            "with that value and save again to replace it.",
            "stale",
        )
        self.current = current


def comment(
    *, normed: NormedImage, author: Membership, text: str, component: str = "", request_key: UUID
) -> NormingComment:
    """Store a comment of a participant or lead and return it; a repeated key returns the first one.

    Raises NormingRefused.
    """
    try:
        said = checked_text(text)
    except InvalidText as refused:
        raise NormingRefused(str(refused), refused.code) from refused
    if component and component not in page_of(normed.session.batch.protocol).adjudicating.titles:
        raise NormingRefused("This protocol has no such cell. Reload the page.", "unknown-cell")
    with write_transaction():
        session = _open(normed.session)
        writer = _writer(session, author)
        if made := normed.comments.filter(request_key=request_key).first():
            return made
        made = normed.comments.create(author=writer, component=component, text=said, request_key=request_key)
        facts = {"place": normed.place, "comment": made.pk}
        sessions.record(session, sessions.COMMENTED, writer.user, facts)
    return made


def agree(
    *,
    normed: NormedImage,
    actor: User,
    payload: object,
    replaces: int,
) -> NormedImage:
    """Store the agreed value of an image, as a lead, and return its row; equal values change nothing.

    `replaces` is the version that the lead has seen. Raises NormingRefused, ValueChanged if another lead was
    faster, and InvalidPayload.
    """
    with write_transaction():
        session = _open(normed.session)
        lead = sessions.lead_of(session.project_id, actor)
        protocol = get_protocol(session.batch.protocol)
        cleaned, _ = checked_annotation(payload, protocol, session.project.exact_weights)
        now = (
            NormedImage.objects.select_for_update(of=("self",)).select_related("decided_by").get(pk=normed.pk)
        )
        if now.agreed == cleaned:
            return now
        if now.version != replaces:
            raise ValueChanged(now)
        replaced = {"version": now.version, "agreed": now.agreed}
        now.agreed, now.version, now.decided_by = cleaned, now.version + 1, lead
        now.save(update_fields=["agreed", "version", "decided_by"])
        facts = {"place": now.place, "version": now.version, "agreed": cleaned, "replaced": replaced}
        sessions.record(session, sessions.AGREED, actor, facts)
    return now


def _open(session: NormingSession) -> NormingSession:
    """Return the session, held; raises NormingRefused unless its answers can be discussed."""
    now = sessions.held(session)
    if now.state == NormingSession.State.ANSWERING:
        raise NormingRefused("The annotations are not revealed yet.", "answering")
    if now.state == NormingSession.State.CLOSED:
        raise NormingRefused("Not saved: this session was closed in the meantime.", "closed")
    return now


def _writer(session: NormingSession, author: Membership) -> Membership:
    """Return the author, reloaded; raises NormingRefused unless active and a participant or lead."""
    now = Membership.objects.select_related("user").filter(pk=author.pk, project=session.project_id).first()
    if now is None or not (now.is_active and now.has_account and sessions.may_read(session, now)):
        raise NormingRefused("Only participants and leads of this session can comment.", "not-yours")
    return now
