"""The score of one image, for pages that show a few images; standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from scoring.realism.consolidation import consolidate
from scoring.realism.protocol import RATING


def image_score(votes: Sequence[Sequence[Sequence[Any]]], invalid_from: int) -> float | None:
    """Return the consolidated score from the ratings of each annotation; None without one."""
    given = [int(Fraction(value)) for found in votes for name, _, value in found if name == RATING.name]
    score = consolidate(given, len(votes) - len(given), invalid_from).score
    return None if score is None else float(score)
