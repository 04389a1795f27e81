"""Norming sessions of a bundle: each row is checked as if the session had been held here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from analysis.bundles.restoring import rules
from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.rules import LARGEST, Rule, Unfit, maybe, one_of, text, whole
from annotator.models import Batch, NormingSession
from annotator.models.norming import LONGEST_COMMENT
from annotator.norming.discussing import LONGEST_GAP, SAYS, SHOULD_SAY
from scoring.protocol import InvalidPayload
from scoring.service import get_protocol


def gaps(value: Any) -> dict[str, dict[str, str]]:
    """Return notes on the guideline by component; raise Unfit for any other value."""
    found = rules.an_object(value)
    for noted in found.values():
        fits = isinstance(noted, dict) and noted.keys() == {SAYS, SHOULD_SAY}
        if not fits or not all(isinstance(one, str) and len(one) <= LONGEST_GAP for one in noted.values()):
            raise Unfit(f"texts “{SAYS}” and “{SHOULD_SAY}” of at most {LONGEST_GAP} characters by cell")
    return found


SESSION_RULES: Final[Mapping[str, Rule]] = {
    "state": one_of(NormingSession.State.values),
    "picked": one_of(NormingSession.Picked.values),
    "seed": maybe(whole(0, LARGEST)),
    "made_at": rules.moment,
    "revealed_at": maybe(rules.moment),
    "closed_at": maybe(rules.moment),
    "follows": maybe(whole(1)),
}
NORMED_RULES: Final[Mapping[str, Rule]] = {
    "place": whole(1, 32767),
    "version": whole(0),
    "agreed": maybe(rules.an_object),
    "gaps": gaps,
    "causes": maybe(rules.an_object),
    "decided_at": maybe(rules.moment),
}
COMMENT_RULES: Final[Mapping[str, Rule]] = {
    "component": text(80),
    "text": text(LONGEST_COMMENT, 1),
    "created_at": rules.moment,
}


def require_session(values: Mapping[str, Any], batch: Batch, where: str) -> None:
    """Raise BundleRefused for a session whose state contradicts its batch."""
    answering = values["state"] == NormingSession.State.ANSWERING
    if answering != (batch.status == Batch.Status.OPEN):
        raise BundleRefused(
            f"{where}: “state” is {values['state']}, but the batch is {batch.status}; expected an open batch "
            "exactly while the participants annotate."
        )


def require_agreed(values: Mapping[str, Any], protocol: str, where: str) -> None:
    """Raise BundleRefused for an agreed value that the protocol refuses."""
    if values["agreed"] is None:
        return
    try:
        get_protocol(protocol).clean(values["agreed"])
    except InvalidPayload as error:
        raise BundleRefused(f"{where}: the agreed value is invalid: {error}") from error


def link_rounds(rows: Iterable[tuple[str, Mapping[str, Any]]], ids: Sequence[int]) -> None:
    """Link second rounds to their first; `ids` are those of the stored `rows`, which name lines.

    Raise BundleRefused for a session that follows no earlier one, or the same one as another.
    """
    followed: set[int] = set()
    for line, (where, row) in enumerate(rows, 1):
        first = row["follows"]
        if first is None:
            continue
        if first >= line or first in followed:
            raise BundleRefused(f"{where}: “follows” is {first}; expected an earlier session, once.")
        followed.add(first)
        NormingSession.objects.filter(pk=ids[line - 1]).update(follows=ids[first - 1])


def protocol_of(normed: Mapping[str, Any]) -> str:
    """Return the protocol of the session that a row belongs to; one query."""
    found = NormingSession.objects.filter(pk=normed["session_id"])
    return str(found.values_list("batch__protocol", flat=True).get())
