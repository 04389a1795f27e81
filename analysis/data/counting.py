"""How many annotations a report counts, and why others are not counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

REOPENED: Final = "reopened"
OTHER_PROTOCOL: Final = "other_protocol"
REAL_PICTURE: Final = "real_picture"
NOTHING_READ: Final = "nothing_read"
ANSWERED_AGAIN: Final = "answered_again"
OUTDATED: Final = "outdated"

PURPOSES: Final[Mapping[str, str]] = {
    "training": "submitted in training",
    "qualification": "submitted in a qualification",
    "anchor": "submitted as an anchor",
    "repeat": "submitted as a repeat of the same image",
    "norming": "submitted in a norming session",
}
"""Purposes other than work (see `Assignment.Purpose`)."""

REASONS: Final[Mapping[str, str]] = {
    **PURPOSES,
    REOPENED: "reopened and not resubmitted",
    OTHER_PROTOCOL: "made under another protocol",
    REAL_PICTURE: "of real images, which are not a generator",
    NOTHING_READ: "imported but unreadable",
    OUTDATED: "made of marks that have changed since",
    ANSWERED_AGAIN: "superseded by another annotation by the same annotator",
}
"""Reasons for not counting an annotation; the first that applies is used."""


@dataclass(frozen=True)
class Counting:
    """Numbers of `counted` annotations, and of others by reason (`not_counted`).

    `partly_unread` of the counted ones were imported with terms that could not be read.
    """

    counted: int
    not_counted: Mapping[str, int]
    partly_unread: int = 0

    @property
    def submitted(self) -> int:
        """Return the number of submitted annotations, including reopened ones but no drafts."""
        return self.counted + sum(self.not_counted.values())

    def as_json(self) -> dict[str, Any]:
        """Return the entry of a report's result; reasons without annotations are omitted."""
        rows = [{"reason": name, "count": count} for name in REASONS if (count := self.not_counted.get(name))]
        partly = {"partly_unread": self.partly_unread} if self.partly_unread else {}
        return {"submitted": self.submitted, "counted": self.counted, **partly, "not_counted": rows}
