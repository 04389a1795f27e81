"""Simulated annotators have the habits they are given."""

from __future__ import annotations

import pytest

from scoring.grid.notation import Term, cell_warnings, format_cell, parse_cell
from tools.demo_study import plan_demo_study
from tools.painter.chance import Chance
from tools.painter.planting import PlantedError, Truth
from tools.simulation import ANNOTATORS, SimulatedAnnotator, annotate

WHOLE = {"torso": 1, "limbs": 4, "feet": 2, "hands": 2, "face": 1}
PERFECT = SimulatedAnnotator("perfect", {"a": 1, "b": 1, "c": 1}, 0, 0, 0)
DRAWS = 3000


def truth_of(severity: str) -> Truth:
    return Truth(1, WHOLE, WHOLE, (PlantedError("planted", "missing.limbs", severity, 1, 0, 0.5, 0.5),))


def answers(truth: Truth, annotator: SimulatedAnnotator) -> list[tuple[Term, ...]]:
    return [
        annotate(truth, annotator, Chance(f"{annotator.code}/{draw}")).get("missing.limbs", ())
        for draw in range(DRAWS)
    ]


def test_a_perfect_annotator_gives_the_truth() -> None:
    for image in plan_demo_study(seed=7):
        assert annotate(image.truth, PERFECT, Chance(image.file)) == image.truth.terms()


@pytest.mark.parametrize("annotator", ANNOTATORS, ids=lambda annotator: annotator.code)
@pytest.mark.few(2)
def test_leniency_and_detection_come_back(annotator: SimulatedAnnotator) -> None:
    given = answers(truth_of("b"), annotator)
    found = [terms for terms in given if terms]
    assert abs(len(found) / DRAWS - annotator.detection["b"]) < 0.03
    milder = sum(terms[0].severity == "a" for terms in found) / len(found)
    harsher = sum(terms[-1].severity == "c" for terms in found) / len(found)
    assert abs(milder - max(0.0, annotator.leniency)) < 0.03
    assert abs(harsher - max(0.0, -annotator.leniency)) < 0.03


def test_miscounts_are_one_off_as_often_as_given() -> None:
    annotator = SimulatedAnnotator("hasty", PERFECT.detection, 0, 0, 0.3)
    totals = [terms[0].total for terms in answers(truth_of("c"), annotator)]
    assert set(totals) == {3, 4, 5}
    assert abs(1 - totals.count(4) / DRAWS - 0.3) < 0.03


def test_false_alarms_come_as_often_as_given() -> None:
    annotator = SimulatedAnnotator("wary", PERFECT.detection, 0, 0.4, 0)
    clean = Truth(1, WHOLE, WHOLE, ())
    alarms = [sum(map(len, annotate(clean, annotator, Chance(str(i))).values())) for i in range(DRAWS)]
    assert abs(sum(alarms) / DRAWS - 0.4) < 0.03


def test_what_they_enter_can_be_written_and_read_again() -> None:
    for image in plan_demo_study(seed=7):
        for annotator in ANNOTATORS:
            for terms in annotate(image.truth, annotator, Chance(image.file)).values():
                assert parse_cell(format_cell(terms)) == terms
                assert cell_warnings(terms) == ()
