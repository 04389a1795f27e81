"""A proposed change of annotators as JSON values for display."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from annotator.batches.people_changes import outcome_of, propose_people_change
from annotator.batches.planning import AS_PLANNED, Allowance, PlanChange
from annotator.models import Batch, Membership


def proposal_of(
    *,
    batch: Batch,
    leaving: Sequence[Membership] = (),
    joining: Sequence[Membership] = (),
    allow: Allowance = AS_PLANNED,
) -> dict[str, Any]:
    """Propose a change and return its facts; raises ChangeRefused, InvalidDesign."""
    return facts_of(propose_people_change(batch=batch, leaving=leaving, joining=joining, allow=allow))


def facts_of(change: PlanChange) -> dict[str, Any]:
    """Return counts, reassignments, and the balance before and after.

    `flows` are [giver, taker, images], "" for unassigned; `shares` are [code, before, away, new].
    """
    begun = {(one.image, one.annotator) for one in change.design.held if one.state == "draft"}
    return {
        "keep": change.keep,
        "away": len(change.withdraw),
        "drafts": sum(row in begun for row in change.withdraw),
        "new": len(change.add),
        "flows": _flows(change),
        "shares": _shares(change),
        "before": change.before.as_json(),
        "after": change.after.as_json(),
        "earlier": change.design.earlier is not None,
        "outcome": outcome_of(change),
    }


def _flows(change: PlanChange) -> list[list[Any]]:
    """Pair givers with takers for each image; unpaired ones get an empty name."""
    givers: dict[str, list[str]] = defaultdict(list)
    for image, code in change.withdraw:
        givers[image].append(code)
    counted: Counter[tuple[str, str]] = Counter()
    for placement in change.add:
        waiting = givers[placement.image]
        counted[waiting.pop(0) if waiting else "", placement.annotator] += 1
    counted.update((code, "") for left in givers.values() for code in left)
    return [[giver, taker, images] for (giver, taker), images in sorted(counted.items())]


def _shares(change: PlanChange) -> list[list[Any]]:
    held = Counter(one.annotator for one in change.design.held)
    away = Counter(code for _, code in change.withdraw)
    new = Counter(placement.annotator for placement in change.add)
    codes = sorted(held.keys() | new.keys() | {one.code for one in change.design.annotators})
    return [[code, held[code], away[code], new[code]] for code in codes]
