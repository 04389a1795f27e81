"""The protocol *defect-verdict*: whether an image has a defect, by unanimity or else by an expert.

It is a rating form of one question, with a decision of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from scoring.protocol import CheckedAnnotation, InvalidPayload, Payload
from scoring.rating_form.definition import CANNOT_JUDGE, FormDefinition, Item
from scoring.rating_form.protocol import protocol_of

VERDICT_ITEM: Final = "verdict"
ACCEPT, REJECT = "accept", "reject"
FORM: Final = FormDefinition(
    name="verdict",
    title="Does the image have a defect?",
    headline=VERDICT_ITEM,
    instructions="Reject an image with at least one defect. Twisted, stretched, fused, incomplete, missing "
    "or extra parts and wrong sizes are structural defects; what goes against physics or sense is a logical "
    "one. What the prompt asks for is not a defect, nor is something of the prompt that is missing.",
    adjudicate=True,
    items=(
        Item(
            VERDICT_ITEM,
            "choice",
            "Verdict",
            help="Reject the image if it has at least one defect. Anything the prompt asks for is not a "
            "defect. If you cannot judge the image, say why in the note.",
            required=True,
            cannot_judge=True,
            options=((ACCEPT, "Accept"), (REJECT, "Reject")),
        ),
    ),
)
_OF_FORM: Final = protocol_of(FORM)


def clean(payload: object, *, complete: bool = True) -> CheckedAnnotation:
    """Return the checked annotation of a payload; whoever cannot judge has to say why in the note."""
    answer = _OF_FORM.clean(payload, complete=complete)
    said = answer.payload()
    if complete and said["answers"].get(VERDICT_ITEM) == CANNOT_JUDGE and not said["note"].strip():
        raise InvalidPayload({"note": ["Not submitted: say in the note why the image cannot be judged."]})
    return answer


def decide(payloads: Sequence[Payload], due: int, expert: Fraction | None) -> Fraction | None:
    """Return 1 for a rejected image and 0 for an accepted one; see `Protocol.decide`.

    Fewer answers than `due` leave the image open. All the same is a decision by unanimity, unless nobody
    could judge; otherwise the expert's verdict counts.
    """
    votes = {payload["answers"][VERDICT_ITEM] for payload in payloads}
    if len(payloads) < due:
        return None
    return Fraction(int(REJECT in votes)) if votes in ({ACCEPT}, {REJECT}) else expert


VERDICT: Final = replace(
    _OF_FORM,
    slug="defect-verdict",
    title="Defects: verdict",
    form=None,
    clean=clean,
    decide=decide,
    raters=3,
)
