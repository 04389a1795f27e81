"""A proposed change of annotators for display: reassignments, and the balance before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotator.web.views.lead.plan_words import MarginRow, balance_table


@dataclass(frozen=True)
class Flow:
    """A number of images reassigned from one annotator to another; an empty name means unassigned."""

    giver: str
    taker: str
    images: int


@dataclass(frozen=True)
class Share:
    """One annotator's images before the change, withdrawn and new."""

    code: str
    before: int
    away: int
    new: int

    @property
    def after(self) -> int:
        """Images after the change."""
        return self.before - self.away + self.new


@dataclass(frozen=True)
class MarginChange:
    """One margin before and after."""

    title: str
    before: MarginRow | None
    after: MarginRow


@dataclass(frozen=True)
class Proposal:
    """A change of annotators for display."""

    keep: int
    away: int
    drafts: int
    new: int
    flows: tuple[Flow, ...]
    shares: tuple[Share, ...]
    margins: tuple[MarginChange, ...]
    earlier: bool


def proposal(facts: Mapping[str, Any]) -> Proposal:
    """Return a change for display from the facts of `people_proposals.facts_of`."""
    return Proposal(
        keep=facts["keep"],
        away=facts["away"],
        drafts=facts["drafts"],
        new=facts["new"],
        flows=tuple(Flow(*row) for row in facts["flows"]),
        shares=tuple(Share(*row) for row in facts["shares"]),
        margins=_margins(facts),
        earlier=facts["earlier"],
    )


def _margins(facts: Mapping[str, Any]) -> tuple[MarginChange, ...]:
    before = {row.title: row for row in balance_table(facts["before"]).margins}
    after = balance_table(facts["after"]).margins
    return tuple(MarginChange(row.title, before.get(row.title), row) for row in after)
