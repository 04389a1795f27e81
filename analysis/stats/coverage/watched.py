"""Simulated annotators whose quality is watched: anchors, repeats and work, with planted drift and leniency.

Images, errors and habits are those of `scenarios`. The reference of an anchor is the judgment of one more
annotator, of leniency 0. The anchors are the same for all, in an order of each annotator's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.stats.annotators.leniency import STEPS
from analysis.stats.coverage.scenarios import CUTS, GENERATORS, SCENARIOS, SHAPE, TOTALS, Scenario
from analysis.stats.frames import N_CELLS, N_SEVERITIES, Floats, Ints
from analysis.stats.quality.records import AnchorRecord, Person, RepeatRecord, WorkRecord
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import SEVERITIES

PEOPLE: Final = 4
ANCHORS: Final = 60
WORK: Final = 200
REPEATS: Final = 20
DRIFTS_AFTER: Final = 20
SECONDS: Final = 30.0
_TIME_SPREAD: Final = 0.7
_WEIGHTS: Final = np.array([float(DEFAULT_WEIGHTS[severity]) for severity in SEVERITIES])


@dataclass(frozen=True)
class Situation:
    """What is planted in all annotators of a study.

    `leniency` is the standard deviation between them. From the anchor after `DRIFTS_AFTER` on, and in their
    work, every mark has a severity `steps` higher (c stays c, a stays a) and leniency is `shift` higher.
    Whoever judges an image again sees a share `memory` of its errors exactly as before. `median` seconds are
    spent on an image, log-normal; with `indifferent`, all work is one and the same annotation, and no
    severity in the work is above `ceiling`. With `anchors_only` there is no work and nothing is repeated;
    `at_random`, repeats are of other images. Habits of `one_only` are planted in the first annotator; the
    others are as in the first situation.
    """

    name: str
    scenario: Scenario = SCENARIOS[0]
    leniency: float = 0.0
    steps: int = 0
    shift: float = 0.0
    memory: float = 0.9
    median: float = SECONDS
    at_random: bool = False
    indifferent: bool = False
    ceiling: int = N_SEVERITIES - 1
    anchors_only: bool = False

    @property
    def one_only(self) -> bool:
        """Whether only the first annotator of a study has these habits, so that the others show the usual."""
        return self.indifferent or self.ceiling < N_SEVERITIES - 1


SITUATIONS: Final = (
    Situation("no drift"),
    Situation("no drift, 73% of scores are 0", scenario=SCENARIOS[3]),
    Situation("no drift, leniency differs by 0.35", leniency=0.35, anchors_only=True),
    Situation("one severity step higher", steps=1, anchors_only=True),
    Situation("one severity step lower", steps=-1, anchors_only=True),
    Situation("leniency rises by 1", shift=1.0, anchors_only=True),
    Situation("repeats annotated anew", memory=0.0),
    Situation("repeats annotated at random", at_random=True),
    Situation("3 s per image", median=3.0),
    Situation("one marks nothing", indifferent=True),
    Situation("one never uses c", ceiling=1),
)


@dataclass(frozen=True)
class _Images:
    """`count` images with (e,) errors: image, cell, total and severity of each."""

    count: int
    image: Ints
    cell: Ints
    total: Ints
    severe: Floats


@dataclass(frozen=True)
class _Judged:
    """(n,) scores, (n, 25) severities of each cell as bits, and (n, 3) marks of each severity."""

    scores: Floats
    bits: Ints
    marks: Ints


@dataclass(frozen=True)
class _Chance:
    """(e,) uniform and normal numbers that decide which errors are found, and how severe they look."""

    found: Floats
    looks: Floats


def people_of(situation: Situation, rng: np.random.Generator) -> list[Person]:
    """Return the `PEOPLE` of one study with their `ANCHORS`, `WORK` and `REPEATS`."""
    anchors = _images(situation.scenario, rng, ANCHORS)
    reference = _judge(
        situation.scenario, anchors, 0.0, np.zeros(ANCHORS, np.int64), _chance(anchors, rng), rng
    )
    usual = SITUATIONS[0] if situation.one_only else situation
    return [
        _person(f"annotator {place}", usual if place else situation, anchors, reference, rng)
        for place in range(PEOPLE)
    ]


def _person(
    name: str, situation: Situation, anchors: _Images, reference: _Judged, rng: np.random.Generator
) -> Person:
    lenient = situation.leniency * float(rng.normal())
    order = rng.permutation(ANCHORS)
    late = np.zeros(ANCHORS, dtype=np.int64)
    late[order[DRIFTS_AFTER:]] = 1
    scenario = situation.scenario
    own = _judge(
        scenario,
        anchors,
        np.asarray(lenient + situation.shift * late, dtype=np.float64),
        situation.steps * late,
        _chance(anchors, rng),
        rng,
    )
    step = _steps(own.bits, reference.bits)
    records = [
        AnchorRecord(place, at, float(own.scores[place]), float(reference.scores[place]), _known(step[place]))
        for at, place in enumerate(order.tolist())
    ]
    if situation.anchors_only:
        return Person(name, records)
    images = _images(scenario, rng, WORK)
    chance, changed = _chance(images, rng), np.full(WORK, situation.steps)
    work = _judge(scenario, images, lenient + situation.shift, changed, chance, rng)
    kept = rng.random(len(images.image)) < situation.memory
    anew = _chance(images, rng)
    recalled = _Chance(np.where(kept, chance.found, anew.found), np.where(kept, chance.looks, anew.looks))
    again = _judge(scenario, images, lenient + situation.shift, changed, recalled, rng).scores
    if situation.at_random:
        again = rng.permutation(again)
    return Person(
        name,
        records,
        repeats=[
            RepeatRecord(place, place, float(work.scores[place]), float(again[place]), 2.0, WORK)
            for place in range(REPEATS)
        ],
        work=_work(situation, work, rng),
    )


def _work(situation: Situation, work: _Judged, rng: np.random.Generator) -> list[WorkRecord]:
    times = 1000 * situation.median * np.exp(_TIME_SPREAD * rng.normal(size=WORK))
    said: dict[bytes, int] = {}
    if situation.indifferent:
        return [WorkRecord(place, place, int(times[place]), 0, (0,) * N_SEVERITIES) for place in range(WORK)]
    return [
        WorkRecord(
            place,
            place,
            int(times[place]),
            said.setdefault(work.bits[place].tobytes() + work.scores[place].tobytes(), len(said)),
            _capped(work.marks[place].tolist(), situation.ceiling),
        )
        for place in range(WORK)
    ]


def _capped(marks: list[int], ceiling: int) -> tuple[int, ...]:
    return (*marks[:ceiling], sum(marks[ceiling:]), *([0] * (len(marks) - ceiling - 1)))


def _images(scenario: Scenario, rng: np.random.Generator, count: int) -> _Images:
    generator = np.arange(count) % GENERATORS
    rate = scenario.errors * (0.75 + 0.25 * generator) * rng.gamma(SHAPE, 1 / SHAPE, size=count)
    planted = rng.poisson(np.where(rng.random(count) < scenario.clean, 0.0, rate))
    errors = int(planted.sum())
    return _Images(
        count,
        np.repeat(np.arange(count), planted),
        rng.integers(0, N_CELLS, errors),
        TOTALS[rng.integers(0, len(TOTALS), errors)],
        rng.normal(size=errors),
    )


def _chance(images: _Images, rng: np.random.Generator) -> _Chance:
    return _Chance(rng.random(len(images.image)), rng.normal(size=len(images.image)))


def _judge(
    scenario: Scenario,
    images: _Images,
    lenient: float | Floats,
    steps: Ints,
    chance: _Chance,
    rng: np.random.Generator,
) -> _Judged:
    """Return what an annotator says, as in `scenarios`; `lenient` and `steps` are (n,), or one leniency."""
    of_image = np.broadcast_to(np.asarray(lenient, dtype=np.float64), images.count)
    of_error = of_image[images.image]
    found = chance.found < 1 / (1 + np.exp(of_error - 0.5 * images.severe))
    alarms = np.repeat(np.arange(images.count), rng.poisson(scenario.alarms * np.exp(-of_image)))
    looks = images.severe[found] - of_error[found] / 2 + chance.looks[found]
    image = np.concatenate([images.image[found], alarms])
    cell = np.concatenate([images.cell[found], rng.integers(0, N_CELLS, len(alarms))])
    total = np.concatenate([images.total[found], TOTALS[rng.integers(0, len(TOTALS), len(alarms))]])
    severity = np.searchsorted(CUTS, np.concatenate([looks, rng.normal(-0.5, 0.7, len(alarms))]))
    severity = np.clip(severity + steps[image], 0, N_SEVERITIES - 1)
    # One mark for each severity of a cell.
    _, first = np.unique((image * N_CELLS + cell) * N_SEVERITIES + severity, return_index=True)
    image, cell, total, severity = image[first], cell[first], total[first], severity[first]
    scores = np.bincount(image, _WEIGHTS[severity] / total, minlength=images.count).astype(np.float64)
    bits = np.bincount(image * N_CELLS + cell, 2.0**severity, minlength=images.count * N_CELLS)
    marks = np.bincount(image * N_SEVERITIES + severity, minlength=images.count * N_SEVERITIES)
    return _Judged(scores, bits.astype(np.int64).reshape(-1, N_CELLS), marks.reshape(-1, N_SEVERITIES))


def _steps(own: Ints, reference: Ints) -> Floats:
    """Return (n,): the mean severity step above the reference in cells that both mark; NaN without any."""
    both = (own > 0) & (reference > 0)
    with np.errstate(all="ignore"):
        return np.asarray(np.where(both, STEPS[own] - STEPS[reference], 0.0).sum(axis=1) / both.sum(axis=1))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
