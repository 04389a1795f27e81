"""How often 95% intervals contain the true value, in simulated studies: the tables of statistics.md.

    .venv/bin/python -m benchmarks.coverage

`AGREEMENT` and `COMPARISON` list the scenarios, `ALPHAS` and `TESTS` what is computed from each study by the
functions of the reports. Studies are seeded by the scenario's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import special

from analysis.protocols.anatomy.agreement import anatomy_agreement
from analysis.stats.comparison.compared import image_means
from analysis.stats.comparison.mixed import mixed_model
from analysis.stats.comparison.welch import welch_of
from analysis.stats.estimates import FROM_ZERO
from analysis.stats.frames import Floats, RatingsFrame
from analysis.stats.generic.agreement import Given, shared_rows
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.generic.precision import over_annotators
from analysis.stats.means import grouped
from analysis.stats.pairs import shared_images
from benchmarks.frames import MARKS, framed
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import CELLS, SEVERITIES

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "reference" / "statistics.md"
SEED: Final = 20240821


@dataclass(frozen=True)
class Errors:
    """A study of images with planted errors, and the habits of those who find and judge them.

    An image has Poisson(λ) errors, λ from a gamma distribution of shape 1.5 whose mean depends on the
    generator and is about `errors`; a share `clean` has none. An error lies in a random cell, is one part of
    1, 2, 4 or 5, and has a standard normal severity t. An annotator of leniency l, of standard deviation
    `leniency`, finds it with the probability 1 / (1 + exp(−(0.5 t − l))) and calls it mild, moderate or
    severe by where t − l/2 + normal noise lies between −0.6 and 0.6. Everybody marks Poisson(exp(−l)) times
    `alarms` errors that are not there. `doubles` of the `images` go to two annotators, the others to one.
    """

    name: str
    images: int = 240
    doubles: int = 60
    annotators: int = 4
    leniency: float = 0.7
    errors: float = 9.0
    clean: float = 0.05
    alarms: float = 0.7


AGREEMENT: Final = (
    Errors("like the published study"),
    Errors("60 images, 15 doubly annotated", images=60, doubles=15),
    Errors("73% of scores are 0", errors=8.0, clean=0.7, alarms=0.03),
    Errors("equally lenient annotators", leniency=0.0),
    Errors("very different leniency", leniency=1.4),
    Errors("2 annotators", annotators=2),
    Errors("10 annotators", annotators=10),
    Errors("800 images, 200 doubly annotated", images=800, doubles=200),
)
OVER: Final = "over annotators "
# Title and name of an estimate, and whether it is about other annotators than those of the study.
ALPHAS: Final = (
    ("score", "cumulative_score", False),
    ("severity", "overall_severity", False),
    ("cells", "cells", False),
    ("score, other annotators: over images", "cumulative_score", True),
    ("over annotators too", OVER + "cumulative_score", True),
    ("cells, other annotators: over images", "cells", True),
    ("over annotators too", OVER + "cells", True),
)
# Sources of variation of the published study, as standard deviations by lme4.
_OF_PAIRS: Final = {"generator prompt": 0.528, "annotator prompt": 0.455, "annotator generator": 0.388}
PUBLISHED: Final = {"prompt": 0.829, "annotator": 0.599, "image": 0.664, "residual": 0.639, **_OF_PAIRS}


@dataclass(frozen=True)
class Scores:
    """A study of scores, for prompts and annotators like these; no two generators differ, without `factors`.

    A score is the sum of normal effects with the standard deviations `PUBLISHED`, `without` one. `images` are
    those of each generator and prompt; a quarter is annotated twice. With `gamma`, image and residual are
    gamma distributed of shape 1.5; a share `zeros` of the scores is cut at 0; with `scaled`, an annotator's
    scores have a log-normal factor; `apart` has factors of the interaction with prompts, for one generator
    after another; with `skew`, strict annotators have more images of the last generators; `factors` multiply
    the scores of the generators, whose mean is `MEAN` without.
    """

    name: str
    generators: int = 3
    prompts: int = 10
    images: int = 8
    annotators: int = 4
    without: str = ""
    gamma: bool = False
    zeros: float = 0.0
    scaled: float = 0.0
    apart: Sequence[float] = (1.0,)
    skew: float = 0.0
    factors: Sequence[float] = (1.0,)


COMPARISON: Final = (
    Scores("like the published study"),
    Scores("annotators do not favour generators", without="annotator generator"),
    Scores("prompts do not favour generators", without="generator prompt"),
    Scores("skewed scores", gamma=True),
    Scores("78% of scores are 0", gamma=True, zeros=0.78),
    Scores("assignment skewed by leniency", skew=3.0),
    Scores("leniency grows with the score", scaled=0.3),
    Scores("prompts favour one generator most", apart=(0.2, 1.0, 1.9)),
    Scores("2 prompts", prompts=2, images=40),
    Scores("4 prompts", prompts=4, images=20),
    Scores("6 generators", generators=6, images=4),
    Scores("2 annotators", annotators=2),
    Scores("8 annotators", annotators=8),
    Scores("50 generators of 8 images", generators=50, prompts=8, images=1),
    Scores("skewed scores, unequal means", gamma=True, factors=(0.6, 1.0, 1.6)),
)
MEAN: Final = 3.0


def _welch_by_image(frame: RatingsFrame) -> Any:
    labels, first = frame.labels("generator"), np.unique(frame.image_codes, return_index=True)[1]
    means, codes = image_means(frame, frame.scores), frame.codes("generator")[first]
    return welch_of(labels, grouped(means, codes, len(labels)), FROM_ZERO)


# Title, and what returns the pairs of generators, with `difference` and `p_holm`.
TESTS: Final[Mapping[str, Callable[[RatingsFrame], Any]]] = {
    "Welch, by image": _welch_by_image,
    "mixed model": lambda frame: mixed_model(frame, frame.scores, FROM_ZERO)["pairs"],
}


def of_agreement(scenario: Errors, runs: int) -> list[str]:
    """Return for each of `ALPHAS`: the share of intervals that hold; value of a large study; mean error."""
    rng = np.random.default_rng([SEED, *scenario.name.encode()])
    # The same annotators in every run, at the quantiles of their distribution; others are drawn in each.
    places = (np.arange(scenario.annotators) + 0.5) / scenario.annotators
    same, many = special.ndtri(places), rng.normal(size=400)
    large = replace(scenario, images=60_000, doubles=60_000)
    truths = [alpha_estimates(errors_study(large, habits, rng)) for habits in (same, many)]
    studies = [
        [alpha_estimates(errors_study(scenario, habits, rng)) for habits in (same, others)]
        for others in (rng.normal(size=scenario.annotators) for _ in range(runs))
    ]
    return [
        held(truths[others][name.removeprefix(OVER)]["value"], [study[others][name] for study in studies])
        for _, name, others in ALPHAS
    ]


def alpha_estimates(frame: RatingsFrame) -> dict[str, Any]:
    """Return what the agreement report estimates, by the names in `ALPHAS`."""
    rows, unit = shared_rows(frame, np.arange(len(frame)))
    found: dict[str, Any] = {}
    people = frame.codes("annotator")[rows]
    for each in anatomy_agreement.measured(frame, shared_images(frame)):
        given, name = Given(each.values[rows], unit, people).without_missing(), each.variable.name
        several = len(np.unique(given.annotators))
        # Without the library, which gives the same more slowly.
        found[name] = alpha_of(given.values, given.unit, each.variable, several, most=0)
        found[OVER + name] = over_annotators(found[name]["value"], each.variable, *given)
    return found


def held(truth: float, estimates: Sequence[Mapping[str, Any]]) -> str:
    """Return the share of intervals that hold the true value, that value, and the mean error."""
    shares = [one["low"] <= truth <= one["high"] for one in estimates if one["low"] is not None]
    error = np.mean([one["value"] for one in estimates if one["value"] is not None]) - truth
    shown = f"{truth:z.2f} {error:+z.2f}".replace("-", "−").replace("+0.00", "±0.00")
    return f"{np.mean(shares):.0%}; {shown}" if shares else "–"


def of_comparison(scenario: Scores, runs: int) -> list[str]:
    """Return for each of `TESTS`: the share of intervals that hold; that of studies with a clear pair."""
    rng = np.random.default_rng([SEED, *scenario.name.encode()])
    studies = [scores_study(scenario, rng) for _ in range(runs)]
    unequal = enumerate(scenario.factors if len(scenario.factors) > 1 else ())
    means = {f"generator {place:04}": MEAN * factor for place, factor in unequal}
    return [_level([test(frame) for frame in studies], means) for test in TESTS.values()]


def _level(studies: Sequence[Sequence[Mapping[str, Any]]], means: Mapping[str, float]) -> str:
    """Return the share of intervals that hold the true difference, and that of studies with a clear pair."""
    pairs = [
        (pair["difference"], means.get(pair["a"], 0) - means.get(pair["b"], 0)) for pair in chain(*studies)
    ]
    shares = [one["low"] <= truth <= one["high"] for one, truth in pairs if one["low"] is not None]
    clear = [any(one["p_holm"] is not None and one["p_holm"] < 0.05 for one in study) for study in studies]
    return f"{np.mean(shares):.0%}; {'–' if means else f'{np.mean(clear):.0%}'}" if shares else "–"


def errors_study(scenario: Errors, habits: Floats, rng: np.random.Generator) -> RatingsFrame:
    """Return a study of 3 generators and 10 prompts; `habits` (a,) are leniency in standard deviations."""
    images, doubles, lenient = scenario.images, scenario.doubles, scenario.leniency * habits
    image = np.concatenate([np.arange(images), np.sort(rng.permutation(images)[:doubles])])
    first = rng.integers(0, len(habits), images)
    others = rng.integers(1, len(habits), len(image))
    annotator = np.where(np.arange(len(image)) < images, first[image], (first[image] + others) % len(habits))
    rate = scenario.errors * (0.75 + 0.25 * (np.arange(images) % 3)) * rng.gamma(1.5, 1 / 1.5, size=images)
    counts = rng.poisson(np.where(rng.random(images) < scenario.clean, 0, rate))
    planted = np.repeat(np.arange(images), counts)
    errors = pd.DataFrame({"image": planted, "cell": rng.integers(0, len(CELLS), len(planted))})
    errors["total"], errors["looks"] = rng.choice([1, 2, 4, 5], len(planted)), rng.normal(size=len(planted))
    # Each annotation meets every error of its image.
    rows = pd.DataFrame({"row": np.arange(len(image)), "image": image, "lenient": lenient[annotator]})
    met = rows.merge(errors, on="image")
    seen = met[rng.random(len(met)) < special.expit(0.5 * met["looks"] - met["lenient"])]
    seen = seen.assign(looks=seen["looks"] - seen["lenient"] / 2 + rng.normal(size=len(seen)))
    extra = np.repeat(rows["row"].to_numpy(), rng.poisson(scenario.alarms * np.exp(-rows["lenient"])))
    false = pd.DataFrame({"row": extra, "cell": rng.integers(0, len(CELLS), len(extra))})
    false["total"], false["looks"] = rng.choice([1, 2, 4, 5], len(extra)), rng.normal(-0.5, 0.7, len(extra))
    marks = pd.concat([seen[[*false]], false])
    marks["severity"] = np.searchsorted((-0.6, 0.6), marks["looks"])
    marks = marks.drop_duplicates(["row", "cell", "severity"])
    worth = np.array([float(DEFAULT_WEIGHTS[severity]) for severity in SEVERITIES])[marks["severity"]]
    # Rounded, because a band of severity ends at a score: equal ones must be equal.
    scores = np.bincount(marks["row"], worth / marks["total"], minlength=len(image)).round(9)
    table = pd.DataFrame({"image": image, "annotator": annotator, "generator": image % 3})
    return framed(table.assign(prompt=image // 3 % 10, cumulative_score=scores), marks)


def scores_study(scenario: Scores, rng: np.random.Generator) -> RatingsFrame:
    """Return a study of equal generators."""
    of_generator = scenario.prompts * scenario.images
    images, annotators = scenario.generators * of_generator, scenario.annotators
    lenient = rng.normal(size=annotators)
    # Shares of the annotators in each generator, as exactly as whole images can be.
    towards = np.outer(np.linspace(-1, 1, scenario.generators), np.argsort(np.argsort(lenient)) / annotators)
    ends = np.cumsum(special.softmax(scenario.skew * towards, axis=1), axis=1)
    even = (np.arange(of_generator) + 0.5) / of_generator
    first = np.concatenate([rng.permutation(np.searchsorted(own, even)) for own in ends])
    twice = rng.permutation(images)[: images // 4]
    second = (first[twice] + rng.integers(1, annotators, len(twice))) % annotators
    image = np.concatenate([np.arange(images), twice])
    table = pd.DataFrame({"image": image, "annotator": np.concatenate([first, second])})
    table = table.assign(generator=image // of_generator, prompt=image // scenario.images % scenario.prompts)
    scores = np.full(len(image), MEAN)
    for name, sd in PUBLISHED.items():
        codes = table.assign(residual=table.index).groupby(name.split()).ngroup().to_numpy()
        gamma = (rng.gamma(1.5, size=len(image)) - 1.5) / 1.5**0.5
        effects = gamma if scenario.gamma and name in ("image", "residual") else rng.normal(size=len(image))
        effects = lenient if name == "annotator" else effects
        apart = np.resize(scenario.apart, scenario.generators)[table["generator"]]
        scale = sd * (name != scenario.without) * (apart if name == "generator prompt" else 1)
        scores += scale * effects[codes]
    scores *= np.exp(scenario.scaled * lenient)[table["annotator"]]
    scores = np.maximum(scores - np.quantile(scores, scenario.zeros), 0) if scenario.zeros else scores
    scores *= np.resize(scenario.factors, scenario.generators)[table["generator"]]
    return framed(table.assign(cumulative_score=scores), pd.DataFrame(columns=[*MARKS], dtype=int))


def main() -> None:
    """Simulate, and put the tables between the marks of the page."""
    write_table("agreement", AGREEMENT, of_agreement, [title for title, *_ in ALPHAS], 500)
    write_table("comparison", COMPARISON, of_comparison, [*TESTS], 200)


def write_table(
    kind: str, scenarios: Sequence[Any], simulate: Callable[..., list[str]], titles: Sequence[str], runs: int
) -> None:
    """Simulate the scenarios; put the table between its marks in statistics.md."""
    with ProcessPoolExecutor() as pool:
        cells = list(pool.map(simulate, scenarios, [runs] * len(scenarios)))
    rows = [[one.name, *row] for one, row in zip(scenarios, cells, strict=True)]
    lines = [[f"scenario, {runs} studies each", *titles], ["---"] * (1 + len(titles)), *rows]
    mark, table = f"<!-- coverage of {kind} -->\n", "\n".join(f"| {' | '.join(line)} |" for line in lines)
    before, after = PAGE.read_text(encoding="utf-8").split(mark)
    PAGE.write_text(f"{before}{mark}{table}\n{after[after.index('<!-- end -->') :]}", encoding="utf-8")


if __name__ == "__main__":
    main()
