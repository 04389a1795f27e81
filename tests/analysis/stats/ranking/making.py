"""Scores by generator and prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.stats.ranking.scored import ScoredImages

WORKED = {"gA": (8, 9, 7.5, 8.5), "gB": (4.5, 6, 3, 5), "gC": (4, 6.5, 3.5, 2.5)}
"""The worked example of realism.md, section 8."""


def scored(
    table: Mapping[str, Sequence[float | Sequence[float] | None]], *, higher_is_better: bool = True
) -> ScoredImages:
    """Return images of a table of scores by generator and prompt: one score, several, or None for none."""
    rows = [
        (which, prompt, float(score))
        for which, found in enumerate(table.values())
        for prompt, scores in enumerate(found)
        for score in (() if scores is None else [scores] if isinstance(scores, int | float) else scores)
    ]
    prompts = max(len(found) for found in table.values())
    return ScoredImages(
        title="Realism",
        higher_is_better=higher_is_better,
        generators=tuple(table),
        prompts=tuple(f"prompt {place + 1}" for place in range(prompts)),
        scores=np.array([score for _, _, score in rows]),
        generator=np.array([which for which, _, _ in rows]),
        prompt=np.array([prompt for _, prompt, _ in rows]),
        images=np.arange(len(rows)),
        coders=np.full(len(table), 5),
    )
