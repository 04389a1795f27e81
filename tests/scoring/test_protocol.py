"""The anatomy protocol as a value: ratings, empty payloads, payloads from cells."""

from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest

from scoring.anatomy.protocol import ANATOMY, AnatomyAnnotation, clean, payload_from_cells
from scoring.grid.notation import parse_cell
from scoring.grid.scores import DEFAULT_WEIGHTS, weights_from
from scoring.protocol import PayloadWarning

EXAMPLE = {
    "configuration.hands": parse_cell("1/3c,1/3b"),
    "missing.face": parse_cell("2/2a"),
    "missing.limbs": parse_cell("1/4c"),
    "missing.hands": parse_cell("1/3b"),
}


def test_ratings_are_the_score_and_one_fraction_for_each_mark() -> None:
    answer = ANATOMY.clean(payload_from_cells(EXAMPLE))
    assert ANATOMY.ratings(answer, DEFAULT_WEIGHTS) == (
        ("cumulative_score", "", Fraction(67, 60)),
        ("error_fraction", "missing.limbs.c", Fraction(1, 4)),
        ("error_fraction", "missing.hands.b", Fraction(1, 3)),
        ("error_fraction", "missing.face.a", Fraction(1)),
        ("error_fraction", "configuration.hands.b", Fraction(1, 3)),
        ("error_fraction", "configuration.hands.c", Fraction(1, 3)),
    )


def test_weights_change_the_score_and_not_the_fractions() -> None:
    answer = ANATOMY.clean(payload_from_cells({"extra.feet": parse_cell("1/2a")}))
    weights = weights_from({"a": 1, "b": 1, "c": 1})
    assert ANATOMY.ratings(answer, weights) == (
        ("cumulative_score", "", Fraction(1, 2)),
        ("error_fraction", "extra.feet.a", Fraction(1, 2)),
    )


def test_no_errors_scores_zero() -> None:
    answer = ANATOMY.clean(payload_from_cells({}, no_errors=True))
    assert ANATOMY.ratings(answer, DEFAULT_WEIGHTS) == (("cumulative_score", "", Fraction(0)),)


def test_a_draft_without_totals_and_a_foreign_answer_have_no_ratings() -> None:
    entry = {"type": "missing", "part": "hands", "severity": "a", "affected": 1}
    draft = ANATOMY.clean({"marks": [entry]}, complete=False)
    with pytest.raises(ValueError, match=r"^a mark without a total has no error fraction$"):
        ANATOMY.ratings(draft, DEFAULT_WEIGHTS)

    class Foreign:
        warnings: tuple[PayloadWarning, ...] = ()
        flagged = False

        def payload(self) -> dict[str, object]:
            return {}

    with pytest.raises(TypeError, match=r"^not an annotation under the anatomy protocol: Foreign$"):
        ANATOMY.ratings(Foreign(), DEFAULT_WEIGHTS)


def test_cells_become_a_canonical_payload_with_totals_of_their_own() -> None:
    made = payload_from_cells({"missing.limbs": parse_cell("2/4c,1/5a")})
    assert made == {
        "people": None,
        "counts": {"expected": {}, "visible": {}},
        "counts_set": {"expected": [], "visible": []},
        "marks": [
            {
                "type": "missing",
                "part": "limbs",
                "severity": severity,
                "affected": affected,
                "total": total,
                "own_total": True,
                "pins": [],
            }
            for severity, affected, total in (("a", 1, 5), ("c", 2, 4))
        ],
        "no_errors": False,
        "flag": None,
        "note": "",
    }
    answer = clean(made)
    assert answer.payload() == made
    assert answer.terms("missing.limbs") == parse_cell("1/5a,2/4c")
    assert answer.terms("missing.torso") == ()


def test_unknown_cells_are_refused_by_name() -> None:
    with pytest.raises(KeyError, match=r"there is no cell 'missing\.ears'"):
        payload_from_cells({"missing.ears": parse_cell("1/2a")})
    with pytest.raises(KeyError, match=r"missing\.ears"):
        clean({}, complete=False).terms("missing.ears")


def test_an_empty_payload_is_new_each_time() -> None:
    first = ANATOMY.empty()
    first["marks"].append("spoilt")
    assert ANATOMY.empty() == payload_from_cells({})


def test_the_protocol_says_what_it_measures() -> None:
    assert [(v.name, v.level_of_measurement) for v in ANATOMY.variables] == [
        ("cumulative_score", "interval"),
        ("error_fraction", "ratio"),
    ]
    assert (ANATOMY.slug, ANATOMY.version) == ("anatomy", 1)


def test_an_answer_cannot_be_changed() -> None:
    answer = clean({"counts": {"visible": {"hands": 2}}}, complete=False)
    assert isinstance(answer, AnatomyAnnotation)
    with pytest.raises(FrozenInstanceError):
        answer.note = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        answer.visible["hands"] = 3  # type: ignore[index]
