"""Simulated studies: images with planted errors, and annotators who find and judge them by known habits.

An image has Poisson(λ) errors, λ from a gamma distribution of shape 1.5 whose mean depends on the generator;
a share of images has none. An error lies in a random cell, is one part of 1, 2, 4 or 5, and has a standard
normal severity t. An annotator of leniency l finds it with the probability 1 / (1 + exp(−(0.5 t − l − i))),
where i is what the annotator deviates by on the image's prompt, and calls it mild, moderate or severe by
where t − l/2 + normal noise lies between −0.6 and 0.6. Everybody also marks errors that are not there,
Poisson(exp(−l)) times a mean per image. The first scenario has about the scores, alphas and design of the
published study.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
import pandas as pd
from scipy import special

from analysis.stats.frames import Bools, Floats, Ints, Marks, RatingsFrame
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import CELLS, SEVERITIES

GENERATORS: Final = 3
PROMPTS: Final = 10
TOTALS: Final = np.array([1, 2, 4, 5])
CUTS: Final = (-0.6, 0.6)
SHAPE: Final = 1.5
_WEIGHTS: Final = tuple(Fraction(DEFAULT_WEIGHTS[severity]) for severity in SEVERITIES)
# Scores are summed as whole 200ths: weights are tenths, parts are 1, 2, 4 or 5 of which one is affected.
_UNIT: Final = 200
_WORTH: Final = np.array([[int(weight * _UNIT / total) for weight in _WEIGHTS] for total in TOTALS.tolist()])


@dataclass(frozen=True)
class Scenario:
    """A design and the habits of its annotators.

    `doubles` of the `images` go to two annotators, the others to one. `leniency` and `interaction` are
    standard deviations between annotators, overall and on single prompts. `errors` is the mean number of
    errors of an image that has any, `clean` the share of images without, `alarms` the mean number of errors
    marked that are not there. With `unbalanced`, annotator k of n receives images with a weight of n − k.
    """

    name: str
    images: int = 240
    doubles: int = 60
    annotators: int = 4
    leniency: float = 0.7
    interaction: float = 0.0
    errors: float = 9.0
    clean: float = 0.05
    alarms: float = 0.7
    unbalanced: bool = False


SCENARIOS: Final = (
    Scenario("like the published study"),
    Scenario("60 images, 15 doubly annotated", images=60, doubles=15),
    Scenario("120 images, 30 doubly annotated", images=120, doubles=30),
    Scenario("73% of scores are 0", errors=8.0, clean=0.7, alarms=0.03),
    Scenario("equally lenient annotators", leniency=0.0),
    Scenario("very different leniency", leniency=1.4),
    Scenario("annotators differ by prompt", interaction=1.0),
    Scenario("unbalanced assignment", unbalanced=True),
    Scenario("2 annotators", annotators=2),
    Scenario("10 annotators", annotators=10),
    Scenario("800 images, 200 doubly annotated", images=800, doubles=200),
)


@dataclass(frozen=True)
class Habits:
    """What is fixed about the annotators of a study: `leniency` (a,) and `on_prompts` (a, prompts)."""

    leniency: Floats
    on_prompts: Floats


def habits_of(scenario: Scenario, rng: np.random.Generator, annotators: int | None = None) -> Habits:
    """Return annotators drawn at random, as many as the scenario has unless `annotators` says."""
    size = scenario.annotators if annotators is None else annotators
    return Habits(
        scenario.leniency * rng.normal(size=size), scenario.interaction * rng.normal(size=(size, PROMPTS))
    )


def evenly_spread(scenario: Scenario) -> Habits:
    """Return annotators at the quantiles of their distribution, the same in every run."""
    size = scenario.annotators
    places = (np.arange(size) + 0.5) / size
    rng = np.random.default_rng(1)
    lenient = scenario.leniency * special.ndtri(places)
    return Habits(lenient, scenario.interaction * rng.normal(size=(size, PROMPTS)))


def study(
    scenario: Scenario,
    habits: Habits,
    rng: np.random.Generator,
    images: int | None = None,
    doubles: int | None = None,
) -> RatingsFrame:
    """Return a study of new images by these annotators; `images` and `doubles` replace the scenario's."""
    images = scenario.images if images is None else images
    doubles = scenario.doubles if doubles is None else doubles
    image, annotator = _assigned(scenario, len(habits.leniency), images, doubles, rng)
    generator = np.arange(images) % GENERATORS
    prompt = np.arange(images) // GENERATORS % PROMPTS
    rate = scenario.errors * (0.75 + 0.25 * generator) * rng.gamma(SHAPE, 1 / SHAPE, size=images)
    planted = rng.poisson(np.where(rng.random(images) < scenario.clean, 0.0, rate))
    first = np.cumsum(planted) - planted
    cells = rng.integers(0, len(CELLS), planted.sum())
    totals = rng.integers(0, len(TOTALS), planted.sum())
    severe = rng.normal(size=planted.sum())

    # Each annotation meets every error of its image.
    row = np.repeat(np.arange(len(image)), planted[image])
    error = np.arange(len(row)) - np.repeat(np.cumsum(planted[image]) - planted[image], planted[image])
    error = error + first[image[row]]
    who = annotator[row]
    lenient = habits.leniency[who]
    logit = 0.5 * severe[error] - lenient - habits.on_prompts[who, prompt[image[row]]]
    found = rng.random(len(row)) < 1 / (1 + np.exp(-logit))
    seen = severe[error] - lenient / 2 + rng.normal(size=len(row))
    alarms = rng.poisson(scenario.alarms * np.exp(-habits.leniency[annotator]))
    extra = np.repeat(np.arange(len(image)), alarms)
    rows = np.concatenate([row[found], extra])
    marked = np.concatenate([cells[error[found]], rng.integers(0, len(CELLS), len(extra))])
    total = np.concatenate([totals[error[found]], rng.integers(0, len(TOTALS), len(extra))])
    severity = np.searchsorted(CUTS, np.concatenate([seen[found], rng.normal(-0.5, 0.7, len(extra))]))
    return _framed(image, annotator, generator, prompt, rows, marked, severity, total)


def _assigned(
    scenario: Scenario, annotators: int, images: int, doubles: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return image and annotator of every annotation, sorted by both."""
    weights = np.arange(annotators, 0, -1) if scenario.unbalanced else np.ones(annotators)
    # The largest of weighted exponential races: a weighted draw without replacement.
    race = rng.exponential(size=(images, annotators)) / weights
    order = np.argsort(race, axis=1)[:, :2]
    twice = np.zeros(images, dtype=np.bool_)
    twice[rng.permutation(images)[:doubles]] = True
    image = np.concatenate([np.arange(images), np.flatnonzero(twice)])
    annotator = np.concatenate([order[:, 0], order[twice, 1]])
    by_image = np.lexsort((annotator, image))
    return image[by_image], annotator[by_image]


def _framed(
    image: Ints,
    annotator: Ints,
    generator: Ints,
    prompt: Ints,
    rows: Ints,
    cells: Ints,
    severity: Ints,
    total: Ints,
) -> RatingsFrame:
    order = np.lexsort((severity, cells, rows))
    rows, cells, severity, total = rows[order], cells[order], severity[order], total[order]
    # One mark for each severity of a cell.
    slot = (rows * len(CELLS) + cells) * len(SEVERITIES) + severity
    kept: Bools = np.diff(slot, prepend=-1) > 0
    rows, cells, severity, total = rows[kept], cells[kept], severity[kept], total[kept]
    worth = np.bincount(rows, _WORTH[total, severity], minlength=len(image))
    one = np.zeros(len(image), dtype=np.int64)
    table = pd.DataFrame(
        {
            "image": image,
            "number": one,
            "annotation": np.arange(1, len(image) + 1),
            "submitted": one - 1,
            "annotator": _texts(annotator, "annotator"),
            "generator": _texts(generator[image], "generator"),
            "prompt": _texts(prompt[image], "prompt"),
            "prompt_group": _texts(one, "group"),
            "batch": _texts(one, "batch"),
            "cumulative_score": worth / _UNIT,
        }
    )
    marks = Marks(
        rows.astype(np.int32),
        cells.astype(np.int8),
        severity.astype(np.int8),
        np.ones(len(rows), dtype=np.int32),
        TOTALS[total].astype(np.int32),
        np.zeros(len(rows), dtype=np.uint8),
    )
    return RatingsFrame(table, marks, _WEIGHTS)


def _texts(codes: Ints, word: str) -> pd.Categorical:
    names = [f"{word} {code:04}" for code in range(int(codes.max(initial=0)) + 1)]
    return pd.Categorical.from_codes(codes, categories=pd.Index(names, dtype=object))
