"""Close a norming session: agreed values become references."""

from __future__ import annotations

from collections.abc import Collection

from annotator.batches.closing import close_for_norming
from annotator.database.transactions import write_transaction
from annotator.models import NormedImage, NormingSession, Project, Reference, User
from annotator.norming import sessions
from annotator.norming.sessions import NormingRefused
from annotator.training.references import add_reference


def close_session(*, session: NormingSession, references: Collection[int], actor: User) -> bool:
    """Close a session, as a lead; return False if it is closed already, which changes nothing.

    `references` are the ids of the session's images whose agreed value the lead confirms as reference. A
    session that is not revealed ends without showing anything to anybody. Raises NormingRefused, for example
    for an image without agreed value.
    """
    with write_transaction():
        # In the order of `start_session`: the project, then the session.
        Project.locked(session.project_id)
        now = sessions.held(session)
        sessions.lead_of(now.project_id, actor)
        if now.state == NormingSession.State.CLOSED:
            return False
        rows = list(now.images.select_related("image__project").filter(pk__in=references))
        _check(now, rows, references)
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


def _check(session: NormingSession, rows: Collection[NormedImage], asked: Collection[int]) -> None:
    if len(rows) != len(set(asked)):
        raise NormingRefused(
            "A chosen image does not belong to this session. Reload the page.", "unknown-image"
        )
    if rows and not session.is_revealed:
        raise NormingRefused("The annotations are not revealed, so there are no agreed values.", "answering")
    if undecided := sorted(row.place for row in rows if row.agreed is None):
        places = ", ".join(map(str, undecided))
        raise NormingRefused(
            f"No agreed value yet for image {places}. Agree on one, or leave it out.", "undecided"
        )
