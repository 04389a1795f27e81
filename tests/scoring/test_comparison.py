"""An annotation compared with a reference; the worked example is that of the method's training notes."""

from fractions import Fraction

import pytest

from scoring.anatomy.protocol import ANATOMY, payload_from_cells
from scoring.comparison import Compared, ComparedComponent, pooled
from scoring.grid.notation import parse_cell
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.presence.protocol import PRESENCE
from scoring.protocol import CheckedAnnotation, Protocol

REFERENCE = {
    "missing.limbs": "1/4c",
    "missing.hands": "1/3b",
    "missing.face": "2/2a",
    "configuration.hands": "1/3b,1/3c",
}
ANSWER = {
    "missing.limbs": "1/4c",
    "missing.hands": "1/4c",
    "configuration.hands": "1/3c",
    "proportion.limbs": "1/4a",
}
EXPECTED = Compared(
    (
        ComparedComponent("missing.limbs", "hit"),
        ComparedComponent("missing.hands", "hit", ("total", "severities")),
        ComparedComponent("missing.face", "missed"),
        ComparedComponent("configuration.hands", "hit", ("affected", "severities")),
        ComparedComponent("proportion.limbs", "alone"),
    )
)


def anatomy(cells: dict[str, str]) -> CheckedAnnotation:
    terms = {key: parse_cell(text) for key, text in cells.items()}
    return ANATOMY.clean(payload_from_cells(terms, no_errors=not cells))


def presence(cells: dict[str, str]) -> CheckedAnnotation:
    return PRESENCE.clean({"cells": list(cells), "no_errors": not cells})


def compared(protocol: Protocol, reference: CheckedAnnotation, answer: CheckedAnnotation) -> Compared:
    assert protocol.compare is not None
    return protocol.compare(reference, answer)


def test_the_worked_example() -> None:
    found = compared(ANATOMY, anatomy(REFERENCE), anatomy(ANSWER))
    assert found == EXPECTED
    assert (found.count("hit"), found.count("missed"), found.count("alone")) == (3, 1, 1)
    assert (found.precision, found.recall, found.f1) == (Fraction(3, 4),) * 3


def test_the_worked_example_differs_by_fourteen_sixtieths() -> None:
    scores = [ANATOMY.ratings(anatomy(cells), DEFAULT_WEIGHTS)[0][2] for cells in (REFERENCE, ANSWER)]
    assert scores == [Fraction(67, 60), Fraction(53, 60)]


def test_presence_compares_cells_only() -> None:
    found = compared(PRESENCE, presence(REFERENCE), presence(ANSWER))
    assert [(one.component, one.verdict, one.differs) for one in found.components] == [
        (one.component, one.verdict, ()) for one in EXPECTED.components
    ]


@pytest.mark.parametrize(("protocol", "made"), [(ANATOMY, anatomy), (PRESENCE, presence)])
def test_two_empty_annotations_have_no_shares(protocol: Protocol, made: object) -> None:
    assert callable(made)
    found = compared(protocol, made({}), made({}))
    assert found == Compared(())
    assert (found.precision, found.recall, found.f1) == (None,) * 3


@pytest.mark.parametrize(("protocol", "made"), [(ANATOMY, anatomy), (PRESENCE, presence)])
def test_an_annotation_equals_itself(protocol: Protocol, made: object) -> None:
    assert callable(made)
    found = compared(protocol, made(REFERENCE), made(REFERENCE))
    assert {(one.verdict, one.differs) for one in found.components} == {("hit", ())}
    assert (found.precision, found.recall, found.f1) == (Fraction(1),) * 3


@pytest.mark.parametrize(("protocol", "made"), [(ANATOMY, presence), (PRESENCE, anatomy)])
def test_annotations_of_another_protocol_are_refused(protocol: Protocol, made: object) -> None:
    assert callable(made)
    with pytest.raises(TypeError):
        compared(protocol, made(REFERENCE), made(REFERENCE))


def test_several_images_are_pooled_by_component() -> None:
    one = compared(ANATOMY, anatomy(REFERENCE), anatomy(ANSWER))
    other = compared(ANATOMY, anatomy({"extra.feet": "1/2a"}), anatomy({}))
    assert (pooled([one, other]).recall, pooled([one, other]).precision) == (Fraction(3, 5), Fraction(3, 4))
