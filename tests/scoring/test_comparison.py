"""An annotation compared with a reference, and the rules of a qualification."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy import stats

from scoring.anatomy.protocol import ANATOMY
from scoring.comparison import Compared, ComparedComponent, Verdict, pooled
from scoring.presence.protocol import PRESENCE
from scoring.protocol import CheckedAnnotation, Payload, Protocol
from scoring.qualification_rules import DIFFERENCE, F1, PRECISION, RECALL, JudgedImage, check_rule, results_of
from tests import factories
from tests.factories import make_payload

REFERENCE, ANSWER = make_payload(factories.REFERENCE), make_payload(factories.ANSWER)
EXPECTED = Compared(
    (
        ComparedComponent("missing.limbs", "hit"),
        ComparedComponent("missing.hands", "hit", ("total", "severities")),
        ComparedComponent("missing.face", "missed"),
        ComparedComponent("configuration.hands", "hit", ("affected", "severities")),
        ComparedComponent("proportion.limbs", "alone"),
    )
)


def presence(payload: Payload) -> CheckedAnnotation:
    """The cells of a payload of anatomy."""
    cells = {f"{mark['type']}.{mark['part']}" for mark in payload["marks"]}
    return PRESENCE.clean({"cells": list(cells), "no_errors": not cells})


def compared(protocol: Protocol, reference: CheckedAnnotation, answer: CheckedAnnotation) -> Compared:
    assert protocol.compare is not None
    return protocol.compare(reference, answer)


def test_the_worked_example() -> None:
    found = compared(ANATOMY, ANATOMY.clean(REFERENCE), ANATOMY.clean(ANSWER))
    assert found == EXPECTED
    assert (found.count("hit"), found.count("missed"), found.count("alone")) == (3, 1, 1)
    assert (found.precision, found.recall, found.f1) == (Fraction(3, 4),) * 3


def test_presence_compares_cells_only() -> None:
    found = compared(PRESENCE, presence(REFERENCE), presence(ANSWER))
    assert [(one.component, one.verdict, one.differs) for one in found.components] == [
        (one.component, one.verdict, ()) for one in EXPECTED.components
    ]


@pytest.mark.parametrize("protocol", [ANATOMY, PRESENCE])
def test_two_empty_annotations_have_no_shares(protocol: Protocol) -> None:
    nothing = protocol.clean({"no_errors": True})
    found = compared(protocol, nothing, nothing)
    assert found == Compared(())
    assert (found.precision, found.recall, found.f1) == (None,) * 3


def test_several_images_are_pooled_by_component() -> None:
    one = compared(ANATOMY, ANATOMY.clean(REFERENCE), ANATOMY.clean(ANSWER))
    feet, nothing = (ANATOMY.clean(make_payload(marks)) for marks in ([("extra.feet", "1/2a")], []))
    other = compared(ANATOMY, feet, nothing)
    assert (pooled([one, other]).recall, pooled([one, other]).precision) == (Fraction(3, 5), Fraction(3, 4))


def judged(hits: int = 0, missed: int = 0, alone: int = 0, difference: str = "0") -> JudgedImage:
    verdicts: list[Verdict] = [*["hit"] * hits, *["missed"] * missed, *["alone"] * alone]  # type: ignore[list-item]
    found = Compared(tuple(ComparedComponent(f"c{place}", one) for place, one in enumerate(verdicts)))
    return JudgedImage(found, Fraction(difference))


def test_the_worked_example_fails_at_no_default_of_anatomy() -> None:
    assert ANATOMY.compare is not None
    reference, answer = ANATOMY.clean(REFERENCE), ANATOMY.clean(ANSWER)
    score, own = (ANATOMY.headline_of(ANATOMY.ratings(one, WEIGHTS)) for one in (reference, answer))
    assert score is not None
    assert own is not None
    one = JudgedImage(ANATOMY.compare(reference, answer), abs(score - own))
    rule = {term.name: term.default for term in ANATOMY.rule_terms if term.default is not None}
    assert rule == {"difference": Fraction(3, 10), "recall": Fraction(7, 10), "precision": Fraction(6, 10)}
    found = results_of(ANATOMY.rule_terms, rule, [one])
    assert [(each.term.name, each.measured.value, each.is_met) for each in found] == [
        ("difference", Fraction(14, 60), True),
        ("recall", Fraction(3, 4), True),
        ("precision", Fraction(3, 4), True),
    ]


WEIGHTS = {"a": Fraction(1, 5), "b": Fraction(1, 2), "c": Fraction(1)}


def test_shares_are_pooled_over_images_with_their_exact_interval() -> None:
    images = [judged(hits=5, missed=1), judged(hits=3, missed=1, alone=4)]
    found = RECALL.measure(images)
    assert found.value == Fraction(8, 10)
    assert found.interval == pytest.approx((0.444, 0.975), abs=5e-4)
    assert PRECISION.measure(images).value == Fraction(8, 12)
    sixteen = RECALL.measure([judged(hits=16, missed=4)])
    assert sixteen.interval == pytest.approx((0.563, 0.943), abs=5e-4)


def test_the_interval_of_f1_follows_from_that_of_the_share_of_hits() -> None:
    found = F1.measure([judged(hits=14, missed=4, alone=2)])
    assert found.value == Fraction(28, 34)
    exact = stats.binomtest(14, 20).proportion_ci(method="exact")
    assert found.interval == pytest.approx([2 * end / (1 + end) for end in (exact.low, exact.high)])


def test_the_mean_difference_has_the_interval_of_a_mean_from_0() -> None:
    found = DIFFERENCE.measure([judged(difference=text) for text in ("0", "1/10", "1/2")])
    assert found.value == Fraction(1, 5)
    exact = stats.ttest_1samp([0, 0.1, 0.5], 0).confidence_interval(0.95)
    assert exact.low < 0
    assert found.interval == pytest.approx((0.0, exact.high))
    assert DIFFERENCE.measure([judged(difference="1/10")]).interval is None


@pytest.mark.parametrize(
    ("image", "met"),
    [
        (judged(), {"recall": True, "precision": True, "f1": True}),
        (judged(missed=2), {"recall": False, "precision": False, "f1": False}),
        (judged(alone=2), {"recall": True, "precision": False, "f1": False}),
    ],
)
def test_what_cannot_be_measured_is_met_only_if_nothing_was_missed(
    image: JudgedImage, met: dict[str, bool]
) -> None:
    rule = dict.fromkeys(met, Fraction(1, 2))
    found = results_of((RECALL, PRECISION, F1), rule, [image])
    assert {each.term.name: each.is_met for each in found} == met


def test_a_threshold_is_reached_exactly() -> None:
    ten = [judged(hits=7, missed=3, difference="3/10")]
    rule = {"recall": Fraction(7, 10), "difference": Fraction(3, 10)}
    assert all(each.is_met for each in results_of(ANATOMY.rule_terms, rule, ten))
    above = {"recall": Fraction(71, 100), "difference": Fraction(29, 100)}
    assert not any(each.is_met for each in results_of(ANATOMY.rule_terms, above, ten))


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({}, "at least one requirement"),
        ({"recall": Fraction(12, 10)}, "Cells found: nobody can reach 1.2"),
        ({"recall": Fraction(-1)}, "below 0"),
        ({"precision": Fraction(0)}, "everybody reaches 0"),
        ({"beauty": Fraction(1, 2)}, "'beauty'; expected difference, recall, precision, f1"),
        ({"difference": Fraction(-1, 10)}, "-0.1 is below 0"),
    ],
)
def test_a_rule_that_nobody_can_meet_or_miss_is_refused(rule: dict[str, Fraction], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        check_rule(ANATOMY.rule_terms, rule)
