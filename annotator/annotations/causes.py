"""The causes of disagreements as an adjudication stores them: chosen by the adjudicator, or as proposed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.models import Annotation
from scoring.causes import CAUSES, Cause, Proposal
from scoring.payloads import Refusals, shown
from scoring.protocol import Payload, Protocol

LONGEST_CAUSE_NOTE: Final = 300
NO_CAUSE: Final = "Choose at least one cause."


@dataclass(frozen=True)
class CauseChoice:
    """What an adjudicator chose for one component; without `causes`, those proposed.

    `note` states what the guideline leaves open, or anything else about this component.
    """

    causes: tuple[str, ...] = ()
    note: str = ""


AS_PROPOSED: Final = CauseChoice()


def proposals_for(protocol: Protocol, payloads: Iterable[Payload]) -> Mapping[str, Proposal]:
    """Return the proposals for submitted payloads of one image by component, in published order.

    Empty for a protocol without causes.
    """
    if not protocol.causes:
        return {}
    return protocol.causes.propose([protocol.clean(payload, complete=False) for payload in payloads])


def causes_to_store(
    protocol: Protocol,
    answers: Iterable[Annotation],
    payload: Payload,
    chosen: Mapping[str, CauseChoice] | None,
) -> dict[str, Any] | None:
    """Return the causes of every component on which annotations differ, in stored form.

    `payload` is the decided value. None if nothing is `chosen`, or the protocol has no causes. Raises
    InvalidPayload, with errors by `causes.<component>`, for a component on which the annotations agree, a
    cause that the protocol does not offer, a component without any cause, and a note that is too long.
    """
    if chosen is None or not protocol.causes:
        return None
    refusals = Refusals()
    marked = protocol.causes.marked(protocol.clean(payload))
    proposals = proposals_for(protocol, (answer.payload for answer in answers))
    for component in chosen.keys() - proposals.keys():
        refusals.add(f"causes.{component}", f"Refused: the annotations do not differ in {shown(component)}.")
    stored = {
        component: _stored(component, chosen.get(component, AS_PROPOSED), protocol, proposed, refusals)
        for component, proposed in ((key, proposal.of(key in marked)) for key, proposal in proposals.items())
    }
    refusals.raise_if_any()
    return stored


def _stored(
    component: str, choice: CauseChoice, protocol: Protocol, proposed: tuple[Cause, ...], refusals: Refusals
) -> dict[str, Any]:
    offered = protocol.causes.offered if protocol.causes else ()
    field = f"causes.{component}"
    for cause in choice.causes:
        if cause not in offered:
            refusals.add(field, f"Refused: {shown(cause)} is not a cause under this protocol.")
    causes = [cause for cause in CAUSES if cause in (choice.causes or proposed)]
    if not causes:
        refusals.add(field, NO_CAUSE)
    note = " ".join(choice.note.split())
    if len(note) > LONGEST_CAUSE_NOTE:
        refusals.add(field, f"The note has {len(note)} characters. Shorten it to {LONGEST_CAUSE_NOTE}.")
    if turns_text_round(note) or "\0" in note:
        refusals.add(field, TURNED)
    return {"causes": causes, "proposed": list(proposed), **({"note": note} if note else {})}
