"""A proposed change of people in plain words: who gives how much to whom, and the balance after."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from annotator.planning import Change
from annotator.views.plan_words import MarginRow, balance_table


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
    drafts: int
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


def proposal(change: Change) -> Proposal:
    """Return what a page shows of a change."""
    begun = {(one.image, one.annotator) for one in change.design.held if one.state == "draft"}
    drafts = Counter(code for image, code in change.withdraw if (image, code) in begun)
    return Proposal(
        keep=change.keep,
        away=len(change.withdraw),
        drafts=drafts.total(),
        new=len(change.add),
        flows=_flows(change),
        shares=_shares(change, drafts),
        margins=_margins(change),
    )


def _flows(change: Change) -> tuple[Flow, ...]:
    """Pair, image by image, who gives it away with who gets it; what is left over is nobody's."""
    givers: dict[str, list[str]] = defaultdict(list)
    for image, code in change.withdraw:
        givers[image].append(code)
    counted: Counter[tuple[str, str]] = Counter()
    for placement in change.add:
        waiting = givers[placement.image]
        counted[waiting.pop(0) if waiting else "", placement.annotator] += 1
    counted.update((code, "") for left in givers.values() for code in left)
    return tuple(Flow(giver, taker, images) for (giver, taker), images in sorted(counted.items()))


def _shares(change: Change, drafts: Counter[str]) -> tuple[Share, ...]:
    held = Counter(one.annotator for one in change.design.held)
    away = Counter(code for _, code in change.withdraw)
    new = Counter(placement.annotator for placement in change.add)
    codes = sorted(held.keys() | new.keys() | {one.code for one in change.design.annotators})
    return tuple(Share(code, held[code], away[code], drafts[code], new[code]) for code in codes)


def _margins(change: Change) -> tuple[Comparison, ...]:
    before = {row.title: row for row in balance_table(change.before.as_json()).margins}
    after = balance_table(change.after.as_json()).margins
    return tuple(Comparison(row.title, before.get(row.title), row) for row in after)
