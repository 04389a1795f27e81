"""How often two equal generators are found to differ if some prompts suit one of them better.

An image has 25 cells. On the logit scale, the chance of an error in one is -1.6, plus what its prompt adds
(standard deviation 0.5), what its generator and prompt add together (`interaction`), and what the image adds
(0.6). A marked cell has a weight of 0.2, 0.5 or 1 and an error fraction of 1/4, 1/2 or 1, all equally likely.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from analysis.stats.comparison.blocked import over_prompts
from analysis.stats.comparison.welch import sample, welch_from
from analysis.stats.frames import Floats

SEED: Final = 8
PROMPTS: Final = 10
IMAGES: Final = 8
CELLS: Final = 25
INTERACTIONS: Final = (0.0, 0.6)
LEVEL: Final = 0.05


class ToldApart(NamedTuple):
    """The shares of studies with p < 0.05: Welch's test over images, and the test paired over prompts."""

    interaction: float
    over_images: float
    over_prompts: float


def share_apart(interaction: float, runs: int) -> ToldApart:
    """Return how often the tests find a difference in `runs` studies; `interaction` is a logit sd."""
    rng = np.random.default_rng([SEED, round(100 * interaction)])
    by_image = by_prompt = 0
    for _ in range(runs):
        scores = _study(interaction, rng)
        by_image += welch_from(sample(scores[0].ravel()), sample(scores[1].ravel()))["p"] < LEVEL
        by_prompt += over_prompts((scores[0] - scores[1]).mean(axis=1))["p"] < LEVEL
    return ToldApart(interaction, by_image / runs, by_prompt / runs)


def _study(interaction: float, rng: np.random.Generator) -> Floats:
    """Return (2, PROMPTS, IMAGES) scores of two generators that are equal over all prompts there are."""
    prompts = rng.normal(0, 0.5, PROMPTS)[None, :, None]
    both = interaction * rng.normal(size=(2, PROMPTS, 1))
    logits = -1.6 + prompts + both + rng.normal(0, 0.6, (2, PROMPTS, IMAGES))
    marked = rng.random((2, PROMPTS, IMAGES, CELLS)) < 1 / (1 + np.exp(-logits))[..., None]
    worth = rng.choice([0.2, 0.5, 1.0], marked.shape) * rng.choice([0.25, 0.5, 1.0], marked.shape)
    return np.asarray((marked * worth).sum(axis=-1))
