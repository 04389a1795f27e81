"""Fine, look, stop, or too few annotations to say."""

from __future__ import annotations

import pytest

from analysis.stats.quality.records import AnchorRecord, Person, WorkRecord
from analysis.stats.quality.verdict import pooled_sigma, read_all
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.stats.quality.test_control import WORKED

STEADY = (0.05, -0.10, 0.02, 0.08, -0.04, 0.10, -0.05, -0.08)


def anchors(differences: tuple[float, ...], step: float | None = None) -> list[AnchorRecord]:
    return [AnchorRecord(place, place, 1 + value, 1.0, step) for place, value in enumerate(differences)]


def work(count: int, active_ms: int = 30_000, same: bool = False) -> list[WorkRecord]:
    return [WorkRecord(place, place, active_ms, 0 if same else place) for place in range(count)]


def verdicts(*people: Person) -> list[tuple[str, tuple[str, ...]]]:
    return [(found.verdict, found.reasons) for found in read_all(people, ANATOMY.headline)]


def test_few_data_are_never_judged() -> None:
    assert verdicts(Person("a", anchors(WORKED[:7]), work=work(19, 900, same=True))) == [("few", ())]


def test_a_steady_annotator_is_fine_and_a_drifting_one_to_look_at() -> None:
    drifting = anchors((*STEADY, 0.5, 0.6, 0.5, 0.7, 0.6))
    found = verdicts(Person("a", anchors(STEADY)), Person("b", drifting))
    assert found == [("fine", ()), ("look", ("drift",))]


def test_haste_and_indifference_stop() -> None:
    fast, flat = Person("a", work=work(20, 4_000)), Person("b", work=work(24, same=True))
    assert verdicts(fast, Person("c", work=work(40))) == [("stop", ("fast",)), ("fine", ())]
    assert verdicts(flat, Person("c", work=work(40))) == [("stop", ("flat",)), ("fine", ())]


def test_a_quarter_in_haste_is_to_look_at() -> None:
    some = [*work(30), *work(10, 4_000)]
    assert verdicts(Person("a", work=some), Person("b", work=work(40)))[0] == ("look", ("hasty",))


def test_sigma_is_pooled_over_the_first_eight_anchors_within_annotators() -> None:
    # Variances of 0, 1, …, 7 and of 0, 2, …, 14 are 6 and 24: their mean is 15.
    ones = [float(value) for value in range(8)]
    twos = [2.0 * value + 100 for value in range(8)]
    assert pooled_sigma([[*ones, 1e6], twos, [5.0] * 7]) == pytest.approx(15**0.5)
    assert pooled_sigma([ones[:7]]) is None
    assert pooled_sigma([[0.5] * 8]) == 0


def test_anchors_that_never_vary_have_no_limits_but_a_reason() -> None:
    (found,) = read_all([Person("a", anchors((0.0,) * 12))], ANATOMY.headline)
    assert (found.verdict, found.score.sigma) == ("fine", None)
    assert found.score.refused == "the first anchors all differ equally from their references"


def test_a_shift_of_severities_alone_is_seen() -> None:
    steady = [AnchorRecord(place, place, 1.0, 1.0, 0.2 * (-1) ** place) for place in range(20)]
    moved = [*steady[:10], *(AnchorRecord(place, place, 1.0, 1.0, 1.0) for place in range(10, 20))]
    assert verdicts(Person("a", steady), Person("b", moved)) == [("fine", ()), ("look", ("steps",))]


def test_a_key_for_each_image_is_no_rush_where_that_is_the_work() -> None:
    rater = Person("A", work=work(40, 1_900))
    assert [found.verdict for found in read_all([rater], ANATOMY.headline)] == ["stop"]
    assert [found.verdict for found in read_all([rater], ANATOMY.headline, 600)] == ["fine"]
