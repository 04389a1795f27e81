"""The decision of a verdict: whether an image has a defect, by unanimity or else by an expert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

ACCEPT, REJECT, CANNOT_JUDGE = "accept", "reject", "cannot_judge"
VERDICTS: Final = (ACCEPT, REJECT, CANNOT_JUDGE)

By = Literal["", "unanimity", "majority", "expert"]
WhyOpen = Literal["", "outstanding", "differ"]


@dataclass(frozen=True)
class Decision:
    """What became of an image: its `value` and who decided it, or why it is open.

    `why_open` is *outstanding* while answers are missing, and *differ* while an expert is needed.
    """

    value: str | None
    by: By = ""
    why_open: WhyOpen = ""


def decision(votes: Sequence[str], due: int, expert: str | None = None) -> Decision:
    """Return the decision of the votes of different people, of whom `due` should judge the image.

    Fewer leave the image open. All the same is a decision by unanimity, unless nobody could judge; otherwise
    the expert's verdict counts. Raises ValueError for anything but a verdict.
    """
    for vote in (*votes, *([expert] if expert is not None else ())):
        if vote not in VERDICTS:
            raise ValueError(f"{vote!r} is no verdict")
    if len(votes) < due:
        return Decision(None, why_open="outstanding")
    if len(set(votes)) == 1 and votes[0] != CANNOT_JUDGE:
        return Decision(votes[0], "unanimity")
    if expert is not None:
        return Decision(expert, "expert")
    return Decision(None, why_open="differ")
