"""Facts of a proposed change of annotators: counts, who gives whom how many images, and the balance."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from annotator.batches.people_changes import outcome_of
from annotator.batches.planning import PlanChange
from annotator.batches.planning.change.checks import checks_withdrawn
from annotator.batches.planning.interleaving import WORK


def facts_of(change: PlanChange) -> dict[str, Any]:
    """Return counts, reassignments, and the balance before and after.

    `flows` are [giver, taker, images], "" for unassigned; `shares` are [code, before, away, new, after].
    """
    begun = {(one.image, one.annotator) for one in change.design.held if one.state == "draft"}
    checks = checks_withdrawn(change.design, change.withdraw)
    return {
        "keep": change.keep + len(change.design.checked) - len(checks),
        "away": len(change.withdraw) + len(checks),
        "drafts": sum(row in begun for row in change.withdraw) + sum(one.state == "draft" for one in checks),
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
        if placement.purpose != WORK:
            continue
        waiting = givers[placement.image]
        counted[waiting.pop(0) if waiting else "", placement.annotator] += 1
    counted.update((code, "") for left in givers.values() for code in left)
    return [[giver, taker, images] for (giver, taker), images in sorted(counted.items())]


def _shares(change: PlanChange) -> list[list[Any]]:
    held = Counter(one.annotator for one in (*change.design.held, *change.design.checked))
    away = Counter(code for _, code in change.withdraw)
    away.update(one.annotator for one in checks_withdrawn(change.design, change.withdraw))
    new = Counter(placement.annotator for placement in change.add)
    codes = sorted(held.keys() | new.keys() | {one.code for one in change.design.annotators})
    return [[code, held[code], away[code], new[code], held[code] - away[code] + new[code]] for code in codes]
