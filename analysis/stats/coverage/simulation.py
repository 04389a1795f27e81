"""How often 95% intervals contain the true value, in simulated studies.

Two questions have different true values. *These annotators*: their habits stay the same from study to study,
images are new; the true value is the alpha of the same annotators over very many images. *Other annotators*:
images and annotators are new in every study; the true value is the alpha of very many annotators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from analysis.stats.agreement.groups import Estimates, all_alphas
from analysis.stats.agreement.intervals_over_annotators import over_annotators
from analysis.stats.agreement.mean_of_pairs import MeanOfPairs
from analysis.stats.agreement.point_estimates import point_alphas
from analysis.stats.agreement.pooled import pooled_alphas, pooled_units
from analysis.stats.agreement.sample_size import WIDTHS, planner
from analysis.stats.agreement.values import Values, pair_rows, values_of
from analysis.stats.agreement.variables import COMPUTED, Variable, alphas
from analysis.stats.bands import severity_bands
from analysis.stats.bootstrap_intervals import FEWEST
from analysis.stats.coverage.scenarios import Scenario, evenly_spread, habits_of, study
from analysis.stats.estimates import LEAST, Estimate
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages, shared_images

SEED: Final = 20240821
RUNS: Final = 1000
# Of the study whose alphas count as true.
MANY_IMAGES: Final = 60_000
MANY_ANNOTATORS: Final = 400
DIFFERENCE: Final = "adjusted minus raw"
OF_PAIRS: Final = "mean of pairs"
WIDTH: Final = WIDTHS[1]
SCORE: Final[Variable] = "cumulative_score"

Told = Callable[[int, int], None]


@dataclass
class Tally:
    """Estimates of one number over the runs, and how many of their intervals contain the true value."""

    truth: float
    values: list[float] = field(default_factory=list)
    held: int = 0
    with_interval: int = 0

    def add(self, found: Estimate) -> None:
        """Count an estimate; those without an interval are left out of the coverage."""
        if found["value"] is not None:
            self.values.append(found["value"])
        if found["low"] is not None and found["high"] is not None:
            self.with_interval += 1
            self.held += found["low"] <= self.truth <= found["high"]

    @property
    def coverage(self) -> float | None:
        """Return the share of intervals that contain the true value; None without any."""
        return self.held / self.with_interval if self.with_interval else None

    @property
    def bias(self) -> float | None:
        """Return the mean of the estimates minus the true value."""
        return float(np.mean(self.values)) - self.truth if self.values else None


@dataclass(frozen=True)
class Simulated:
    """The tallies of one scenario.

    `these` are for the same annotators, keyed by variable, `DIFFERENCE` and `OF_PAIRS`; `planned` is the
    share of the planner's intervals that contain the number of images needed. `others` are for other
    annotators: intervals over images, and over images and annotators. `claims` is the share of studies in
    which the interval of adjusted minus raw alpha lies above 0 (`LEAST`), `zeros` the share of scores that
    are 0.
    """

    scenario: Scenario
    these: dict[str, Tally]
    planned: float | None
    others: Mapping[str, Tally]
    others_two_way: Mapping[str, Tally]
    claims: float
    zeros: float


def simulated(scenario: Scenario, runs: int = RUNS, told: Told | None = None) -> Simulated:
    """Return the coverage of a scenario; `told` receives completed and total runs."""
    rng = np.random.default_rng([SEED, *scenario.name.encode()])
    habits = evenly_spread(scenario)
    large = study(scenario, habits, rng, MANY_IMAGES, MANY_IMAGES)
    these = {name: Tally(value) for name, value in _truths(large).items()}
    many = habits_of(scenario, rng, MANY_ANNOTATORS)
    of_many = _truths(study(scenario, many, rng, MANY_IMAGES, MANY_IMAGES), pairs=False)
    others: dict[str, Tally] = {name: Tally(of_many[name]) for name in COMPUTED}
    two_way: dict[str, Tally] = {name: Tally(of_many[name]) for name in COMPUTED}
    needed: list[tuple[float, float]] = []
    claims = 0
    for run in range(runs):
        for key, estimate in _of_study(study(scenario, habits, rng), needed):
            these[key].add(estimate)
            claims += key == DIFFERENCE and (estimate["low"] or 0) >= LEAST
        drawn = _Judged(study(scenario, habits_of(scenario, rng), rng))
        for name, over_images in drawn.alphas().items():
            others[name].add(over_images)
        for variable, over_both in drawn.over_annotators().items():
            two_way[variable].add(over_both)
        if told:
            told(run + 1, runs)
    zeros = float((large.scores == 0).mean())
    planned = _planned(scenario, these[SCORE].values, needed)
    return Simulated(scenario, these, planned, others, two_way, claims / runs, zeros)


class _Judged:
    """A study with its pooled alphas; those of the point estimates' library are the same, but slower."""

    def __init__(self, frame: RatingsFrame) -> None:
        self.frame, self.judged, self.shared = frame, values_of(frame), shared_images(frame)
        self.pooled, self.n_coders = pooled_units(frame, self.judged)
        self.points = point_alphas(self.pooled, most=0)

    def alphas(self) -> Estimates:
        return all_alphas(self.pooled.sums, self.points, self.n_coders)

    def with_adjusted(self) -> tuple[Estimates, Estimate]:
        return pooled_alphas(self.frame, self.judged, self.shared, self.pooled, self.points, self.n_coders)

    def over_annotators(self) -> dict[Variable, Estimate]:
        return over_annotators(self.frame, self.judged, self.shared, self.pooled, self.points)


def _of_study(frame: RatingsFrame, needed: list[tuple[float, float]]) -> Iterator[tuple[str, Estimate]]:
    """Yield the estimates of a study by name; append the planner's limits to `needed`."""
    made = _Judged(frame)
    found, difference = made.with_adjusted()
    yield from found.items()
    yield DIFFERENCE, difference
    yield OF_PAIRS, _mean_of_pairs(frame, made.judged, made.shared)
    rows = planner(made.pooled.sums)["rows"]
    entries = next(row for row in rows if row["name"] == SCORE)["needed"]
    needed += [(entry["low"], entry["high"]) for entry in entries if entry["width"] == WIDTH]


def _mean_of_pairs(frame: RatingsFrame, judged: Values, shared: SharedImages) -> Estimate:
    mean, values = MeanOfPairs(int(frame.image_codes.max()) + 1), []
    for images, sums in _pairs(frame, judged, shared):
        found = alphas(sums.sum(axis=0))
        if len(sums) >= FEWEST and not np.isnan(found).any():
            mean.add(images, sums, found)
            values.append(found[COMPUTED.index(SCORE)])
    means: dict[str, float | None] = dict.fromkeys(COMPUTED)
    means[SCORE] = float(np.mean(values)) if values else None
    return mean.estimates(means, 0)[SCORE]


def _pairs(frame: RatingsFrame, judged: Values, shared: SharedImages) -> Iterator[tuple[Ints, Floats]]:
    for where in shared.slices:
        first, second = shared.first[where], shared.second[where]
        one = np.zeros(len(first), dtype=np.int64)
        bands = severity_bands(frame.scores[first], one), severity_bands(frame.scores[second], one)
        yield frame.image_codes[first], pair_rows(judged, first, second, bands)


def _truths(frame: RatingsFrame, *, pairs: bool = True) -> dict[str, float]:
    """Return the alphas of a study so large that they count as true."""
    judged = values_of(frame)
    values = alphas(pooled_units(frame, judged)[0].sums.sum(axis=0))
    found: dict[str, float] = dict(zip(COMPUTED, values.tolist(), strict=True))
    found[DIFFERENCE] = found["cumulative_score_adjusted"] - found[SCORE]
    if pairs:
        of_pairs = [alphas(sums.sum(axis=0))[0] for _, sums in _pairs(frame, judged, shared_images(frame))]
        found[OF_PAIRS] = float(np.mean(of_pairs))
    return found


def _planned(scenario: Scenario, values: list[float], needed: list[tuple[float, float]]) -> float | None:
    """Return how often the planner's limits contain the images that alpha's spread over the runs asks for."""
    if len(values) < 2 or not needed:
        return None
    true = (1.96 * float(np.std(values, ddof=1)) / WIDTH) ** 2 * scenario.doubles
    return float(np.mean([low <= true <= high for low, high in needed]))
