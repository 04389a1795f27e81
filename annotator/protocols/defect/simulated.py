"""What simulated people say about planted masks: verdicts, marks, votes, scores; for the demo and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from scoring.defect.consolidation import DROP, KEEP, MASK, TEXT
from scoring.defect.masks import Mask, iou, read_mask, rectangle, union
from scoring.defect.quality import CANDIDATES, COMPLETENESS, PRECISION
from scoring.defect.repeated import name_of
from scoring.defect.verdict import ACCEPT, REJECT, VERDICT_ITEM
from scoring.protocol import Payload

SEVERITIES: Final = "abc"
REJECTS: Final = {"": 0.06, "a": 0.6, "b": 0.85, "c": 0.97}
"""The chance of rejecting an image by its worst severity."""
MISSES, INVENTS, SEES = 0.1, 0.05, 0.95
ALIKE: Final = 0.3
"""From this overlap with a planted mask on, a mask is right."""


@dataclass(frozen=True)
class Planted:
    """A planted error: its mask, what is wrong, and how badly, as *a*, *b* or *c*."""

    mask: Mask
    text: str
    severity: str


def planted(height: int, width: int, counts: str, error: str, severity: str) -> Planted:
    """Return the planted error of a row of the table of masks."""
    mask = read_mask({"size": [height, width], "counts": counts})
    return Planted(mask, f"There is an error: {error}", severity)


def verdict(errors: Sequence[Planted], chance: Random) -> Payload:
    """Return somebody's verdict."""
    worst = max((error.severity for error in errors), default="")
    return {"answers": {VERDICT_ITEM: REJECT if chance.random() < REJECTS[worst] else ACCEPT}}


def true_verdict(errors: Sequence[Planted]) -> Payload:
    """Return the verdict of an expert, who knows."""
    return {"answers": {VERDICT_ITEM: REJECT if errors else ACCEPT}, "flag": None, "note": ""}


def marks(errors: Sequence[Planted], size: Sequence[int], chance: Random) -> Payload:
    """Return somebody's marks: grown a little and moved, some missed, rarely one too many."""
    seen = [error for error in errors if chance.random() >= MISSES]
    found = [(_by_hand(error.mask, chance), error.text) for error in seen]
    if chance.random() < INVENTS or (errors and not seen):
        box = (chance.randrange(size[1] - 40), chance.randrange(size[0] - 40), 40, 40)
        found.append((rectangle(size[0], size[1], box), "This looks strange to me"))
    defects = [
        {"id": f"d{number}", "mask": mask.as_json(), "kind": "structural", "text": text}
        for number, (mask, text) in enumerate(found, 1)
    ]
    worst = max((error.severity for error in seen), default="a")
    return {"defects": defects, "effect": SEVERITIES.index(worst)} if defects else {"no_defect": True}


def _by_hand(mask: Mask, chance: Random) -> Mask:
    """Return a mask grown by a few pixels and moved a little."""
    by, right, down = chance.randint(1, 3), chance.randint(-2, 2), chance.randint(-2, 2)
    grown = [
        (x + right - by, top + down - by, 2 * by + 1, low - top + 2 * by) for x, top, low in mask.columns()
    ]
    return union([rectangle(*mask.size, box) for box in grown])


def votes(given: Payload, errors: Sequence[Planted], chance: Random | None = None) -> dict[str, Any]:
    """Return the votes of a reviewer on what is given; without chance those of an expert, who knows."""
    answers = {}
    for item in given["items"]:
        mask = read_mask(item["mask"])
        right = any((iou(mask, error.mask) or 0) >= ALIKE for error in errors)
        for part in (MASK, TEXT):
            sees = chance is None or chance.random() < SEES
            answers[name_of(item["key"], part)] = KEEP if right == sees else DROP
    return {"answers": answers}


def descriptions(errors: Sequence[Planted]) -> dict[str, str]:
    """Return what two models write: all errors, and all but the mild ones; empty for none."""
    texts = {"complete": errors, "hasty": [error for error in errors if error.severity != "a"]}
    return {model: ". ".join(error.text for error in own) for model, own in texts.items()}


def scores(given: Payload, errors: Sequence[Planted], chance: Random) -> dict[str, Any]:
    """Return the scores of the given texts: how many of the errors each names."""
    answers = {}
    for thing in given[CANDIDATES]:
        named = sum(error.text in thing["text"] for error in errors)
        full = 2 if named == len(errors) else 1 if named else 0
        answers[name_of(thing["key"], COMPLETENESS)] = full
        answers[name_of(thing["key"], PRECISION)] = max(0, full - (chance.random() < 0.2))
    return {"answers": answers}
