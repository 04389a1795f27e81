"""How many of a project's answers a report counts, and why it does not count the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

TRAINING: Final = "training"
QUALIFICATION: Final = "qualification"
ANCHOR: Final = "anchor"
REPEAT: Final = "repeat"
NORMING: Final = "norming"
REOPENED: Final = "reopened"
OTHER_PROTOCOL: Final = "other_protocol"
IMAGE_DELETED: Final = "image_deleted"
NOTHING_READ: Final = "nothing_read"
ANSWERED_AGAIN: Final = "answered_again"

PURPOSES: Final[Mapping[str, str]] = {
    TRAINING: "given in training",
    QUALIFICATION: "given in a qualification",
    ANCHOR: "given to be compared with a reference",
    REPEAT: "given to an image that the same person had judged in the same batch",
    NORMING: "given in a norming session",
}
"""What an answer is for that is no work (see `Assignment.Purpose`), in words."""

REASONS: Final[Mapping[str, str]] = {
    **PURPOSES,
    REOPENED: "opened again and not yet submitted anew",
    OTHER_PROTOCOL: "made under another protocol",
    IMAGE_DELETED: "on an image that is being deleted",
    NOTHING_READ: "imported, and nothing of it could be read",
    ANSWERED_AGAIN: "followed by a later answer of the same person to the same image",
}
"""Why an answer is not counted, in words. The first reason that holds is the one it is counted under."""


@dataclass(frozen=True)
class Counting:
    """`counted` answers are in a report's numbers; `not_counted` are the others by their reason."""

    counted: int
    not_counted: Mapping[str, int]

    @property
    def submitted(self) -> int:
        """All answers that were submitted, also those opened again since; never a draft."""
        return self.counted + sum(self.not_counted.values())

    def as_json(self) -> dict[str, Any]:
        """Return what stands in a report's result; reasons that hold for no answer are absent."""
        rows = [{"reason": name, "count": count} for name in REASONS if (count := self.not_counted.get(name))]
        return {"submitted": self.submitted, "counted": self.counted, "not_counted": rows}
