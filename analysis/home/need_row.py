"""What needs a lead: one row each, with evidence and one thing to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from hashlib import sha256
from typing import Final

from analysis.home.reviewing import at_most
from annotator.models import Image

PICTURES: Final = 3
SINGLY: Final = 3
"""Rows of one kind that stand for one person or job each; more become one row."""


class Harm(IntEnum):
    """What waiting costs, the worst first."""

    NUMBERS = 1
    """Unusable numbers are being collected."""
    FAILURE = 2
    """Work that the lead requested was not done."""
    PERSON = 3
    """Somebody is waiting for an answer."""
    DECISION = 4
    """The data are waiting for a decision."""
    SILENCE = 5
    """Work has stopped."""
    DATA = 6
    """Imported text is not counted."""


@dataclass(frozen=True)
class Need:
    """One thing that needs a lead of `project`.

    `code` is its kind; `title` and `evidence` are sentences, `verb` names the link `address`. `pictures` are
    primary keys of up to three images; `drawn` the images themselves, where they were asked for. `state` is
    what makes it this one: a lead who resolved it sees it again once its state is another.
    """

    project: int
    code: str
    harm: Harm
    title: str
    evidence: str
    verb: str
    address: str
    count: int = 1
    pictures: Sequence[int] = ()
    state: str = ""
    drawn: Sequence[Image] = field(default=(), compare=False)

    @property
    def key(self) -> str:
        """The name under which it is resolved: 16 hexadecimal digits of its code and state."""
        return sha256(f"{self.code} {self.state}".encode()).hexdigest()[:16]


def several(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: “1 flagged image”, “999+ flagged images”."""
    return f"{at_most(count)} {one if count == 1 else many or f'{one}s'}"


def day_of(moment: datetime) -> str:
    """Return a day as in “18 Nov”."""
    return f"{moment.day} {moment:%b}"


def together(rows: Iterable[Need], title: str, verb: str, address: str) -> list[Need]:
    """Return the rows of one kind, or one row for more than `SINGLY`, its `title` with their number."""
    needs = list(rows)
    if len(needs) <= SINGLY:
        return needs
    first = needs[0]
    names = ", ".join(row.title.split(" ", 1)[0] for row in needs[:SINGLY])
    return [
        Need(
            first.project,
            first.code,
            first.harm,
            title.format(at_most(len(needs))),
            f"{names} and {at_most(len(needs) - SINGLY)} more",
            verb,
            address,
            count=len(needs),
            pictures=first.pictures,
            state=",".join(sorted(row.state for row in needs)),
        )
    ]
