"""The truth of planted errors."""

from __future__ import annotations

from dataclasses import replace

from scoring.grid.notation import Term
from tools.painter.chance import Chance
from tools.painter.planting import MOST_PER_PERSON, Deck, PlantedError, Truth, draw_severities, plant
from tools.painter.scenes import GENERATORS, PROMPTS, build_scene

WHOLE = {"torso": 2, "limbs": 8, "feet": 4, "hands": 4, "face": 2}


def error(cell: str, severity: str, affected: int = 1) -> PlantedError:
    return PlantedError("planted", cell, severity, affected, 0, 0.5, 0.5)


def test_terms_add_up_by_cell_and_severity_over_the_right_count() -> None:
    errors = (
        error("configuration.hands", "c", 2),
        error("missing.hands", "c"),
        error("configuration.hands", "b"),
        error("missing.hands", "c"),
    )
    truth = Truth(2, WHOLE, {**WHOLE, "hands": 3}, errors)
    assert truth.terms() == {
        "missing.hands": (Term(2, 4, "c"),),
        "configuration.hands": (Term(1, 3, "b"), Term(2, 3, "c")),
    }
    assert list(truth.terms()) == ["missing.hands", "configuration.hands"]


def test_no_errors_is_an_unchanged_scene() -> None:
    scene = build_scene(GENERATORS[0], PROMPTS[2], 1, seed=7)
    planted, truth = plant(scene, Deck("deck"), [], Chance("none"))
    assert planted == scene
    assert (truth.people, truth.errors, truth.terms()) == (2, (), {})
    assert truth.expected == truth.visible == WHOLE


def test_errors_never_share_a_place_and_stay_below_the_cap() -> None:
    for number in range(1, 20):
        scene = build_scene(GENERATORS[2], PROMPTS[0], number, seed=7)
        _, truth = plant(scene, Deck(f"deck {number}"), list("abcabcabc"), Chance(str(number)))
        assert len(truth.errors) == MOST_PER_PERSON


def test_a_deck_deals_every_error_before_one_comes_again() -> None:
    deck, seen = Deck("all"), []
    for number in range(1, 15):
        scene = build_scene(GENERATORS[0], PROMPTS[0], number, seed=7)
        _, truth = plant(scene, deck, ["a"], Chance(f"deal {number}"))
        seen += [planted.name for planted in truth.errors]
    assert len(set(seen[:9])) == 9


def test_error_rates_are_those_of_the_generator() -> None:
    generator = replace(GENERATORS[1], error_rate=1.3, severities=(0.2, 0.3, 0.5))
    chance = Chance("rates")
    drawn = [draw_severities(generator, 1, chance) for _ in range(3000)]
    severities = [severity for image in drawn for severity in image]
    assert abs(len(severities) / len(drawn) - 1.3) < 0.03
    assert abs(severities.count("c") / len(severities) - 0.5) < 0.03
