"""Close a norming session: agreed values become references, and the gaps of the guideline are listed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.utils import timezone

from annotator.batches.closing import close_for_norming
from annotator.database.transactions import write_transaction
from annotator.models import NormedImage, NormingSession, Project, Reference, User
from annotator.norming import sessions
from annotator.norming.discussing import SAYS, SHOULD_SAY
from annotator.norming.sessions import NormingRefused
from annotator.protocols.registry import page_of
from annotator.training.references import add_reference


@dataclass(frozen=True)
class Gap:
    """What the guideline lacks: an entry of the worklist for its next version."""

    normed: NormedImage
    component: str
    title: str
    says: str
    should_say: str


def close_session(*, session: NormingSession, references: Collection[int], actor: User) -> bool:
    """Close a session, as a lead; return False if it is closed already, which changes nothing.

    `references` are the ids of the session's images whose agreed value the lead confirms as reference; their
    notes on the guideline become its rationales. A session that is not revealed ends without showing anything
    to anybody. Raises NormingRefused, for example for an image without agreed value.
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
            row.reference = _referenced(now, row, actor)
            row.save(update_fields=["reference"])
        close_for_norming(now.batch, actor)
        now.state, now.closed_at = NormingSession.State.CLOSED, timezone.now()
        now.save(update_fields=["state", "closed_at"])
        facts = {"revealed": now.is_revealed, "references": sorted(row.place for row in rows)}
        sessions.record(now, sessions.CLOSED, actor, facts)
    return True


def gaps_of(session: NormingSession) -> list[Gap]:
    """Return the notes on the guideline, by image and component; one query."""
    titles = page_of(session.batch.protocol).adjudicating.titles
    return [
        Gap(row, key, title, row.gaps[key].get(SAYS, ""), row.gaps[key].get(SHOULD_SAY, ""))
        for row in session.images.select_related("image").order_by("place")
        for key, title in titles.items()
        if key in row.gaps
    ]


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


def _referenced(session: NormingSession, row: NormedImage, actor: User) -> Reference:
    rationales = {key: texts.get(SHOULD_SAY) or texts.get(SAYS, "") for key, texts in row.gaps.items()}
    return add_reference(
        image=row.image,
        protocol=session.batch.protocol,
        payload=row.agreed,
        origin=Reference.Origin.NORMED,
        actor=actor,
        rationales={key: text for key, text in rationales.items() if text},
    )
