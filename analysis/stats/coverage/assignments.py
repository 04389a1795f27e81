"""How often intervals of a difference hold where annotators are spread unevenly over two equal generators.

An image's score is its own part, gamma distributed with shape 1, plus what its annotator adds, plus noise of
the same shape; together their standard deviation is 1. One of four annotators is strict: adds 1 to every
score. A quarter of the images is doubly annotated. With the difference d, the strict annotator's share of the
first generator is 1/4 + d/2 and of the second 1/4 - d/2, and the others share the rest evenly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

from analysis.stats.comparison.additive import additive
from analysis.stats.comparison.welch import sample, welch_from
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import Floats, Ints

SEED: Final = 20240822
ANNOTATORS: Final = 4
PROMPTS: Final = 10
DOUBLES: Final = 0.25
# Variances of what an image has and of the noise of an annotation.
OF_IMAGES: Final = 0.75
OF_NOISE: Final = 0.25


@dataclass(frozen=True)
class Assignment:
    """Images per generator and how annotators are assigned: `balanced`, `random` or `skewed` by `apart`."""

    images: int
    how: str
    apart: float = 0.0


ASSIGNMENTS: Final = (
    Assignment(20, "balanced"),
    Assignment(20, "skewed", 0.3),
    Assignment(20, "skewed", 0.5),
    Assignment(80, "random"),
    Assignment(80, "skewed", 0.1),
    Assignment(80, "skewed", 0.2),
    Assignment(80, "skewed", 0.3),
    Assignment(80, "skewed", 0.5),
    Assignment(320, "random"),
    Assignment(320, "skewed", 0.1),
)


@dataclass(frozen=True)
class Held:
    """The shares of studies in which the 95% interval contains the true difference, which is 0."""

    assignment: Assignment
    raw: float
    adjusted: float


def held(assignment: Assignment, runs: int) -> Held:
    """Return how often the raw (Welch, over images) and the adjusted interval hold in `runs` studies."""
    rng = np.random.default_rng(
        [SEED, assignment.images, *assignment.how.encode(), int(100 * assignment.apart)]
    )
    raw = adjusted = 0
    for _ in range(runs):
        scores, generators, annotators, prompts, images = _study(assignment, rng)
        raw += _raw_holds(scores, generators, images)
        adjusted += _adjusted_holds(scores, generators, annotators, prompts, images)
    return Held(assignment, raw / runs, adjusted / runs)


def _study(assignment: Assignment, rng: np.random.Generator) -> tuple[Floats, Ints, Ints, Ints, Ints]:
    """Return score, generator, annotator, prompt and image of every annotation."""
    each = assignment.images
    generator = np.repeat([0, 1], each)
    prompt = np.tile(np.arange(each) % PROMPTS, 2)
    first = np.concatenate([_assigned(assignment, place, rng) for place in (0, 1)])
    twice = np.concatenate(
        [place * each + rng.permutation(each)[: round(DOUBLES * each)] for place in (0, 1)]
    )
    second = (first[twice] + rng.integers(1, ANNOTATORS, len(twice))) % ANNOTATORS
    image = np.concatenate([np.arange(2 * each), twice])
    annotator = np.concatenate([first, second])
    own = np.sqrt(OF_IMAGES) * rng.gamma(1, size=2 * each)
    noise = np.sqrt(OF_NOISE) * rng.gamma(1, size=len(image))
    return own[image] + (annotator == 0) + noise, generator[image], annotator, prompt[image], image


def _assigned(assignment: Assignment, place: int, rng: np.random.Generator) -> Ints:
    """Return the first annotator of every image of a generator."""
    each = assignment.images
    if assignment.how == "random":
        return rng.integers(0, ANNOTATORS, each)
    strict = round(each * (1 / ANNOTATORS + (0.5 - place) * assignment.apart))
    others = 1 + np.arange(each - strict) % (ANNOTATORS - 1)
    return rng.permutation(np.concatenate([np.zeros(strict, dtype=np.int64), others]))


def _raw_holds(scores: Floats, generators: Ints, images: Ints) -> bool:
    means = np.bincount(images, scores) / np.bincount(images)
    of_images = np.zeros(len(means), dtype=np.int64)
    of_images[images] = generators
    test = welch_from(sample(means[of_images == 0]), sample(means[of_images == 1]))
    low, high = test["difference"]["low"], test["difference"]["high"]
    return bool(low <= 0 <= high)


def _adjusted_holds(scores: Floats, generators: Ints, annotators: Ints, prompts: Ints, images: Ints) -> bool:
    fit = additive(scores, generators, annotators, prompts, images)
    found = fit.generator_means()
    if found is None:
        return False
    means, errors = found
    error = float(np.sqrt(fit.factor) * np.linalg.norm(errors[:, 0] - errors[:, 1]))
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, fit.clusters - 1)) * error
    return bool(abs(means[0] - means[1]) <= half)
