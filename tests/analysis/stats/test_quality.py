"""The quality of annotators: anchors, repeats, habits, verdicts and the lines of the report."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.quality.measures import RECENT, anchored, habits_of, intra, never_used
from analysis.stats.quality.records import AnchorRecord, Person, RepeatRecord, WorkRecord
from analysis.stats.quality.report import read_all
from scoring.anatomy.protocol import ANATOMY

MOVED = (0.05, -0.10, 0.02, 0.08, 0.2, 0.30, 0.35, 0.28, 0.40, 0.33, 0.3, 0.1)


def test_the_last_differences_are_tested_by_students_test() -> None:
    found = anchored(MOVED)
    outside = stats.ttest_1samp(MOVED[-RECENT:], 0)
    assert (found.anchors, found.is_away) == (12, outside.pvalue < 0.05) == (12, True)
    assert found.overall["value"] == pytest.approx(np.mean(MOVED))
    limits = outside.confidence_interval(0.95)
    assert (found.lately["low"], found.lately["high"]) == pytest.approx((limits.low, limits.high))


@pytest.mark.parametrize(
    ("differences", "is_away"),
    [
        ([0.25] * 8, True),
        ([0.0] * 8, False),
        ([*[5.0, 4.0] * 6, *[0.1, -0.1] * 5], False),  # what was long ago does not count lately
        ([1.0, 1.1, 0.9, 1.0, 1.1, 0.9, 1.0], False),  # too few
    ],
)
def test_who_is_away_lately(differences: list[float], is_away: bool) -> None:
    assert anchored(differences).is_away == is_away


def test_equal_differences_and_none_have_no_interval() -> None:
    assert anchored([0.25] * 8).lately["low"] is None
    assert anchored([]).overall["refused"] == "no anchors"


WORKED = ((1.1, 0.9), (0.2, 0.2), (2.4, 2.0), (0.0, 0.5), (3.1, 3.3))


def records(
    pairs: tuple[tuple[float, float], ...], days: float = 2.0, between: int = 40
) -> list[RepeatRecord]:
    return [
        RepeatRecord(place, place, first, again, days, between) for place, (first, again) in enumerate(pairs)
    ]


def test_the_worked_alpha() -> None:
    found = intra(records(WORKED), ANATOMY.headline)
    assert found.alpha["value"] == pytest.approx(0.968138, abs=5e-7)
    assert found.alpha["low"] is not None
    assert found.alpha["low"] < 0.968138 < (found.alpha["high"] or 0)
    assert (found.pairs, found.short) == (5, 0)


def test_the_shift_is_that_of_scipy() -> None:
    found = intra(records(WORKED), ANATOMY.headline).shift
    moved = np.array([again - first for first, again in WORKED])
    low, high = stats.ttest_1samp(moved, 0).confidence_interval(0.95)
    assert (found["value"], found["low"], found["high"]) == pytest.approx((moved.mean(), low, high))


def test_below_five_pairs_there_are_no_numbers() -> None:
    found = intra(records(WORKED[:4]), ANATOMY.headline)
    assert (found.alpha["value"], found.shift["value"]) == (None, None)
    assert found.alpha["refused"] == found.shift["refused"] == "too few: 4 of 5 images"
    assert not found.is_unstable


def test_random_repeats_are_unstable_and_ten_pairs_are_needed() -> None:
    rng = np.random.default_rng(3)
    first, again = rng.gamma(2, 1, 40), rng.gamma(2, 1, 40)
    pairs = tuple(zip(first.tolist(), again.tolist(), strict=True))
    assert intra(records(pairs), ANATOMY.headline).is_unstable
    assert not intra(records(pairs[:9]), ANATOMY.headline).is_unstable


@pytest.mark.parametrize(("days", "between", "short"), [(0.5, 40, 5), (2, 29, 5), (1, 30, 0)])
def test_short_gaps_are_counted(days: float, between: int, short: int) -> None:
    assert intra(records(WORKED, days, between), ANATOMY.headline).short == short


def made(
    said: list[int], active_ms: int | None = 30_000, severities: tuple[int, ...] = ()
) -> list[WorkRecord]:
    return [WorkRecord(place, place, active_ms, what, severities) for place, what in enumerate(said)]


def test_the_last_24_may_be_all_equal() -> None:
    assert habits_of(made([1, 2, *[0] * 24])).all_equal
    assert not habits_of(made([0] * 23)).all_equal
    assert not habits_of(made([*[0] * 24, 1])).all_equal


def test_a_severity_that_all_others_use_and_one_never() -> None:
    others = [habits_of(made([1] * 30, severities=(1, 1, 1)))]
    assert never_used(habits_of(made([1] * 30, severities=(1, 1, 0))), others) == (2,)
    assert never_used(habits_of(made([1] * 30, severities=(1, 1, 1))), others) == ()
    # Six marks without c have the probability (2/3)^6, about a tenth.
    assert never_used(habits_of(made([1] * 3, severities=(1, 1, 0))), others) == ()
    assert never_used(habits_of(made([1] * 30)), others) == ()


STEADY = (0.05, -0.10, 0.02, 0.08, -0.04, 0.10, -0.05, -0.08)


def anchors(differences: tuple[float, ...]) -> list[AnchorRecord]:
    return [AnchorRecord(place, place, 1 + value, 1.0) for place, value in enumerate(differences)]


def work(count: int, active_ms: int = 30_000, same: bool = False) -> list[WorkRecord]:
    return [WorkRecord(place, place, active_ms, 0 if same else place) for place in range(count)]


RESTED = Person("c", work=work(40))
CHANGED = anchors((*STEADY, 0.5, 0.6, 0.5, 0.7, 0.6, 0.5, 0.6, 0.7))
FEW = Person("a", anchors((0.5, 0.6, 0.5, 0.7, 0.6, 0.5, 0.6)), work=work(19, 900, same=True))


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        ([FEW], [("few", ())]),
        ([Person("a", anchors(STEADY)), Person("b", CHANGED)], [("fine", ()), ("look", ("away",))]),
        ([Person("a", work=work(20, 4_000)), RESTED], [("stop", ("fast",)), ("fine", ())]),
        ([Person("a", work=work(24, same=True)), RESTED], [("look", ("equal",)), ("fine", ())]),
        ([Person("a", work=[*work(30), *work(10, 4_000)]), RESTED], [("look", ("hasty",)), ("fine", ())]),
    ],
)
def test_verdicts(people: list[Person], expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(found.verdict, found.reasons) for found in read_all(people, ANATOMY.headline)] == expected


def test_a_key_for_each_image_is_no_rush_where_that_is_the_work() -> None:
    rater = Person("A", work=work(40, 1_900))
    assert [found.verdict for found in read_all([rater], ANATOMY.headline)] == ["stop"]
    assert [found.verdict for found in read_all([rater], ANATOMY.headline, 600)] == ["fine"]
