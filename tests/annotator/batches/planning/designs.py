"""Designs to plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from hashlib import sha256

from annotator.batches.planning import ChangeDesign, Design, Held, Plan, PlanAnnotator, PlanChange, PlanImage
from annotator.batches.planning.randomness import Stream


def images(generators: int, prompts: int, each: int, content: str = "") -> tuple[PlanImage, ...]:
    """Images of a full crossing, `each` of every cell; keys as in a project, by content."""
    return tuple(
        PlanImage(
            sha256(f"{content}{generator}/{prompt}/{number}".encode()).hexdigest(),
            f"g{generator}",
            f"p{prompt}",
        )
        for generator in range(generators)
        for prompt in range(prompts)
        for number in range(each)
    )


def annotators(count: int, *capacities: int | None) -> tuple[PlanAnnotator, ...]:
    """Annotators A, B, …; the first ones with these capacities."""
    limits = [*capacities, *[None] * (count - len(capacities))]
    return tuple(PlanAnnotator(code(index), limit) for index, limit in enumerate(limits))


def code(index: int) -> str:
    return chr(65 + index) if index < 26 else f"ann{index}"


def published(seed: int = 1) -> Design:
    """240 images = 3 generators × 10 prompts × 8, 4 annotators, a quarter judged by two."""
    return Design(images(3, 10, 8), annotators(4), Fraction(1, 4), 2, seed)


def held_of(plan: Plan, done: int, draft: int, seed: int = 1) -> tuple[Held, ...]:
    """Every assignment of a plan: `done` percent finished, `draft` percent begun, drawn by the seed."""
    stream = Stream(seed, "states")

    def state() -> str:
        draw = stream.below(100)
        return "done" if draw < done else "draft" if draw < done + draft else "open"

    return tuple(
        Held(one.image, one.annotator, one.position, state())  # type: ignore[arg-type]
        for one in plan.placements
    )


def change_of(
    plan: Plan,
    *,
    leave: Sequence[str] = (),
    join: Sequence[PlanAnnotator] = (),
    done: int = 30,
    draft: int = 10,
    seed: int = 1,
) -> ChangeDesign:
    """Those who `leave` a plan under way, and those who `join` it."""
    stay = tuple(one for one in plan.design.annotators if one.code not in leave)
    return ChangeDesign(
        images=plan.design.images,
        annotators=(*stay, *join),
        held=held_of(plan, done, draft, seed),
        per_image=Counter(one.image for one in plan.placements),
        seed=seed,
    )


def after(change: PlanChange) -> set[tuple[str, str]]:
    """(image, annotator) of everything that stands after a change."""
    held = {(one.image, one.annotator) for one in change.design.held}
    added = {(one.image, one.annotator) for one in change.add}
    assert len(added) == len(change.add)
    gone = {(one.image, one.annotator) for one in change.withdraw}
    assert gone <= held
    assert not added & held
    return (held - gone) | added
