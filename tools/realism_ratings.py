"""Simulated realism ratings of the demo's drawn figures, whose errors are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tools.painter.chance import Chance
from tools.painter.planting import Truth

COLUMNS: Final = ("generator", "prompt", "number", "annotator", "rating", "invalid", "note")
COST: Final = {"a": 1.3, "b": 2.6, "c": 4.2}
"""How much an error of each severity takes from the realism of a figure."""
BEST: Final = 9.4
MISSED: Final = 0.1
"""The probability that a rater rates an image of several people, which is invalid."""


@dataclass(frozen=True)
class SimulatedRater:
    """A rater, known by construction: how much higher they rate, and how widely their ratings scatter."""

    code: str
    bias: float
    scatter: float


RATERS: Final = (
    SimulatedRater("rater1", 0.0, 0.7),
    SimulatedRater("rater2", -0.9, 0.8),
    SimulatedRater("rater3", 0.8, 0.7),
    SimulatedRater("rater4", 0.2, 1.6),
    SimulatedRater("rater5", -0.2, 0.9),
)


def realism_of(truth: Truth) -> float:
    """Return the true realism of an image from its planted errors, 1 to 9.4."""
    return max(1.0, BEST - sum(COST[error.severity] for error in truth.errors))


def ratings_of(
    generator: str, prompt: str, number: int, truth: Truth, *, people: int, seed: int
) -> Iterator[Sequence[str]]:
    """Yield a row of COLUMNS for each rater."""
    for rater in RATERS:
        chance = Chance(f"realism/{seed}/{rater.code}/{generator}/{prompt}/{number}")
        place = (generator, prompt, str(number), rater.code)
        if people > 1 and not chance.happens(MISSED):
            yield (*place, "", "multiple_people", "")
            continue
        # The sum of three uniform numbers is close to a normal one of standard deviation 1.
        noise = sum(chance.between(-1, 1) for _ in range(3))
        said = realism_of(truth) + rater.bias + rater.scatter * noise
        yield (*place, str(min(10, max(1, round(said)))), "", "")
