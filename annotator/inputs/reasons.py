"""The reason that a lead gives for an action, which the history keeps."""

from __future__ import annotations

from typing import Final

from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.inputs.refusal import Refusal

LONGEST_REASON: Final = 400


class InvalidReason(Refusal, ValueError):
    """The reason is missing, too long or cannot be displayed."""


def checked_reason(reason: str) -> str:
    """Return the reason without surrounding space; raises InvalidReason."""
    why = reason.strip()
    if not why or "\0" in why:
        raise InvalidReason("Enter a reason. It is saved in the project’s history.", "required")
    if len(why) > LONGEST_REASON:
        raise InvalidReason(
            f"The reason has {len(why)} characters. Shorten it to {LONGEST_REASON}.", "max_length"
        )
    if turns_text_round(why):
        raise InvalidReason(TURNED, "turned")
    return why
