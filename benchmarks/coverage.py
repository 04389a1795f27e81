"""How often 95% intervals contain the true value, in simulated studies: the tables of statistics.md.

    .venv/bin/python -m benchmarks.coverage

`AGREEMENT`, `COMPARISON` and `DETECTION` list the scenarios, `ALPHAS`, `TESTS` and `MEASURES` what is
computed from each study by the functions of the reports. Studies are seeded by the scenario's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import special

from analysis.protocols.anatomy.agreement import PLAN
from analysis.stats.comparison.detection import MEASURES, detection_tables
from analysis.stats.comparison.mixed import mixed_model
from analysis.stats.comparison.welch import welch_of
from analysis.stats.estimates import FROM_ZERO
from analysis.stats.frames import Floats, Marks, RatingsFrame
from analysis.stats.generic.agreement import Given, shared_rows
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.generic.precision import over_annotators
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.images import image_table
from analysis.stats.means import grouped
from analysis.stats.pairs import shared_images
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import CELLS, SEVERITIES
from scoring.rating_form.definition import FormDefinition, Item
from scoring.rating_form.protocol import protocol_of

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "reference" / "statistics.md"
SEED: Final = 20240821
MARKS: Final = {"row": "i4", "cell": "i1", "severity": "i1", "affected": "i4", "total": "i4", "pins": "u1"}
# Of the study whose alphas count as true.
MANY_IMAGES, MANY_ANNOTATORS = 60_000, 400


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


@dataclass(frozen=True)
class Readings:
    """A study in which readers call `images` of each kind real or generated.

    An image looks generated to a reader by half the reader's skill, less for real images, plus the reader's
    suspicion, what the image is like, and noise, all normal. Skill has the mean `skill` and the standard
    deviation `readers_differ`, suspicion half of that, images `images_differ`, noise 1.
    """

    name: str
    readers: int = 6
    images: int = 50
    skill: float = 1.2
    readers_differ: float = 0.6
    images_differ: float = 0.7


DETECTION: Final = (
    Readings("6 readers, 50 images of each kind"),
    Readings("4 readers, 12 images of each kind", readers=4, images=12),
    Readings("20 readers, 25 images of each kind", readers=20, images=25),
    Readings("equal readers", readers_differ=0.0),
    Readings("equal images", images_differ=0.0),
    Readings("nobody sees a difference", skill=0.0),
)
ORIGIN: Final = protocol_of(FormDefinition("o", "O", "o", (Item("o", "yes_no", "Generated?", detects=True),)))


def _welch_by_image(frame: RatingsFrame) -> Any:
    images, labels = image_table(frame), frame.labels("generator")
    return welch_of(labels, grouped(images.scores, images.codes("generator"), len(labels)), FROM_ZERO)


# Title, and what returns the pairs of generators, with `difference` and `p_holm`.
TESTS: Final[Mapping[str, Callable[[RatingsFrame], Any]]] = {
    "Welch, by image": _welch_by_image,
    "mixed model": lambda frame: mixed_model(frame, frame.scores, FROM_ZERO)["pairs"],
}


def of_agreement(scenario: Errors, runs: int) -> list[str]:
    """Return for each of `ALPHAS`: the share of intervals that hold; the true value and the mean error."""
    rng = np.random.default_rng([SEED, *scenario.name.encode()])
    # The same annotators in every run, at the quantiles of their distribution; others are drawn in each.
    places = (np.arange(scenario.annotators) + 0.5) / scenario.annotators
    same, many = special.ndtri(places), rng.normal(size=MANY_ANNOTATORS)
    large = replace(scenario, images=MANY_IMAGES, doubles=MANY_IMAGES)
    truths = [alpha_estimates(errors_study(large, habits, rng)) for habits in (same, many)]
    studies = [
        [alpha_estimates(errors_study(scenario, habits, rng)) for habits in (same, others)]
        for others in (rng.normal(size=scenario.annotators) for _ in range(runs))
    ]
    return [
        _held(truths[others][name.removeprefix(OVER)]["value"], [study[others][name] for study in studies])
        for _, name, others in ALPHAS
    ]


def alpha_estimates(frame: RatingsFrame) -> dict[str, Any]:
    """Return what the agreement report estimates, by the names in `ALPHAS`."""
    rows, unit = shared_rows(frame, np.arange(len(frame)))
    found: dict[str, Any] = {}
    people = frame.codes("annotator")[rows]
    for each in PLAN.measured(frame, shared_images(frame)):
        given, name = Given(each.values[rows], unit, people).without_missing(), each.variable.name
        coders = len(np.unique(given.annotators))
        # Without the library, which gives the same more slowly.
        found[name] = alpha_of(given.values, given.unit, each.variable, coders, most=0)
        found[OVER + name] = over_annotators(found[name]["value"], each.variable, *given)
    return found


def _held(truth: float, estimates: Sequence[Mapping[str, Any]]) -> str:
    held = [one["low"] <= truth <= one["high"] for one in estimates if one["low"] is not None]
    error = np.mean([one["value"] for one in estimates if one["value"] is not None]) - truth
    shown = f"{truth:z.2f} {error:+z.2f}".replace("-", "−").replace("+0.00", "±0.00")
    return f"{np.mean(held):.0%}; {shown}" if held else "–"


def of_comparison(scenario: Scores, runs: int) -> list[str]:
    """Return for each of `TESTS`: the share of intervals that hold; that of studies with a clear pair."""
    rng = np.random.default_rng([SEED, *scenario.name.encode()])
    studies = [scores_study(scenario, rng) for _ in range(runs)]
    means = {f"generator {place:04}": MEAN * factor for place, factor in enumerate(scenario.factors)}
    truth = means if len(means) > 1 else {}
    return [_level([test(frame) for frame in studies], truth) for test in TESTS.values()]


def _level(studies: Sequence[Sequence[Mapping[str, Any]]], means: Mapping[str, float]) -> str:
    """Return the share of intervals that hold the true difference, and that of studies with a clear pair."""
    pairs = [(one["difference"], means.get(one["a"], 0) - means.get(one["b"], 0)) for one in chain(*studies)]
    held = [one["low"] <= truth <= one["high"] for one, truth in pairs if one["low"] is not None]
    clear = [any(one["p_holm"] is not None and one["p_holm"] < 0.05 for one in study) for study in studies]
    return f"{np.mean(held):.0%}; {'–' if means else f'{np.mean(clear):.0%}'}" if held else "–"


def of_detection(scenario: Readings, runs: int) -> list[str]:
    """Return for each of `MEASURES`: the share of intervals of all readers that hold; truth and error."""
    rng = np.random.default_rng([SEED, *scenario.name.encode()])
    spread = (1 + scenario.images_differ**2) ** 0.5
    everybody = (spread**2 + scenario.readers_differ**2 / 2) ** 0.5
    share = float(special.ndtr(scenario.skill / 2 / everybody))
    truths = [share, share, share, scenario.skill / spread]
    found = [detection_tables(readings_study(scenario, rng))[0]["rows"][-1][3:] for _ in range(runs)]
    return [
        _held(truth, estimates) for truth, estimates in zip(truths, zip(*found, strict=True), strict=True)
    ]


def readings_study(scenario: Readings, rng: np.random.Generator) -> ValuesFrame:
    """Return a study in which every reader sees every image; the first half of the images is real."""
    shape, differ = (2 * scenario.images, scenario.readers), scenario.readers_differ
    skill, suspicion = rng.normal(scenario.skill, differ, shape[1]), rng.normal(0, differ / 2, shape[1])
    kind = np.repeat([-0.5, 0.5], scenario.images)[:, None]
    looks = rng.normal(0, scenario.images_differ, (shape[0], 1)) + rng.normal(size=shape)
    called = (kind * skill + suspicion + looks > 0).astype(np.float64)
    image, reader = (codes.ravel() for codes in np.indices(shape))
    table = described(pd.DataFrame({"image": image, "annotator": reader, "generator": 0, "prompt": 0}))
    return ValuesFrame(table, ORIGIN, {"o": called.reshape(-1, 1)}, real=np.arange(scenario.images))


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


def framed(table: pd.DataFrame, marks: pd.DataFrame) -> RatingsFrame:
    """Return annotations as the statistics read them; `marks` has row, cell, severity and total."""
    order = np.lexsort((table["annotator"], table["image"]))
    marks = marks.assign(row=np.argsort(order)[marks["row"]], affected=1, pins=0).sort_values([*MARKS][:3])
    table = described(table.iloc[order].reset_index(drop=True))
    weights = tuple(Fraction(DEFAULT_WEIGHTS[severity]) for severity in SEVERITIES)
    return RatingsFrame(table, Marks(*(marks[name].to_numpy(kind) for name, kind in MARKS.items())), weights)


def described(table: pd.DataFrame) -> pd.DataFrame:
    """Return a sorted table of annotations with the columns that these studies do not vary."""
    table = table.assign(number=1, annotation=table.index + 1, submitted=0, prompt_group=0, batch=0)
    for name in ("annotator", "generator", "prompt", "prompt_group", "batch"):
        table[name] = pd.Categorical(np.char.mod(f"{name} %04d", table[name]))
    return table


def main() -> None:
    """Simulate, and put the tables between the marks of the page."""
    kinds: dict[str, Any] = {
        "agreement": (AGREEMENT, of_agreement, [title for title, *_ in ALPHAS], 500),
        "comparison": (COMPARISON, of_comparison, [*TESTS], 200),
        "detection": (DETECTION, of_detection, [title for _, title, *_ in MEASURES], 500),
    }
    with ProcessPoolExecutor() as pool:
        for kind, (scenarios, simulate, titles, runs) in kinds.items():
            cells = pool.map(simulate, scenarios, [runs] * len(scenarios))
            rows = [[one.name, *row] for one, row in zip(scenarios, cells, strict=True)]
            lines = [[f"scenario, {runs} studies each", *titles], ["---"] * (1 + len(titles)), *rows]
            table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
            PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), kind, table), encoding="utf-8")


def with_table(page: str, kind: str, table: str) -> str:
    """Return the page with this table between the marks of its kind; raise ValueError without marks."""
    start = page.index("\n", page.index(f"<!-- coverage of {kind} -->")) + 1
    return f"{page[:start]}{table}\n{page[page.index('<!-- end -->', start) :]}"


if __name__ == "__main__":
    main()
