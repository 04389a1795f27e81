"""Designs to plan."""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256

from annotator.batches.planning import Design, PlanAnnotator, PlanImage


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
