"""Why annotators disagreed on a component: nine causes, and which of them a protocol proposes.

A protocol proposes causes from the annotations alone, before anything is decided. Only whether the decided
value marks the component is still open, so each proposal has two sides.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

Cause = Literal[
    "missed", "not_an_error", "count", "total", "severity", "type", "part", "guideline_gap", "slip"
]

CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)
"""All causes in the order of their keys, 1 to 9."""


@dataclass(frozen=True)
class CauseWords:
    """A cause for display: its title, and what it says of the annotators."""

    title: str
    meaning: str


WORDS: Final[Mapping[Cause, CauseWords]] = {
    "missed": CauseWords("Missed", "somebody did not see the error"),
    "not_an_error": CauseWords("Not an error", "somebody marked something that is not an error"),
    "count": CauseWords("Number affected", "they counted different numbers of affected parts"),
    "total": CauseWords("Total", "they entered different totals"),
    "severity": CauseWords("Severity", "they judged the severity differently"),
    "type": CauseWords("Error type", "same body part, different error type"),
    "part": CauseWords("Body part", "same error type, different body part"),
    "guideline_gap": CauseWords("Guideline gap", "the guideline does not settle this case"),
    "slip": CauseWords("Slip", "somebody entered something by mistake"),
}


@dataclass(frozen=True)
class Proposal:
    """The causes proposed for a component that differs, by whether the decided value marks it."""

    if_marked: tuple[Cause, ...]
    if_empty: tuple[Cause, ...]

    def of(self, marked: bool) -> tuple[Cause, ...]:
        """Return the causes proposed for a decided value; empty if nothing can be inferred."""
        return self.if_marked if marked else self.if_empty
