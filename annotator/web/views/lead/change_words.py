"""A proposed change of people in plain words: who gives how much to whom, and the balance after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotator.web.views.lead.plan_words import MarginRow, balance_table


@dataclass(frozen=True)
class Flow:
    """So many images go from one person to another; an empty name stands for nobody."""

    giver: str
    taker: str
    images: int


@dataclass(frozen=True)
class Share:
    """What one person holds before and after, and what of it goes or comes."""

    code: str
    before: int
    away: int
    new: int

    @property
    def after(self) -> int:
        """Images they hold then."""
        return self.before - self.away + self.new


@dataclass(frozen=True)
class Comparison:
    """One margin before and after."""

    title: str
    before: MarginRow | None
    after: MarginRow


@dataclass(frozen=True)
class Proposal:
    """A change as a page shows it."""

    keep: int
    away: int
    drafts: int
    new: int
    flows: tuple[Flow, ...]
    shares: tuple[Share, ...]
    margins: tuple[Comparison, ...]
    earlier: bool


def proposal(facts: Mapping[str, Any]) -> Proposal:
    """Return what a page shows of a change, from what `people_proposals.facts_of` made of it."""
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


def _margins(facts: Mapping[str, Any]) -> tuple[Comparison, ...]:
    before = {row.title: row for row in balance_table(facts["before"]).margins}
    after = balance_table(facts["after"]).margins
    return tuple(Comparison(row.title, before.get(row.title), row) for row in after)
