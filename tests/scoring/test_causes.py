"""The causes proposed for disagreements, on the worked example of the design and rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.anatomy.protocol import ANATOMY
from scoring.causes import Proposal
from scoring.grid.causes import NEIGHBOURS, proposals
from scoring.presence.protocol import PRESENCE
from scoring.protocol import Protocol
from tests import factories
from tests.factories import make_payload

REFERENCE, ANSWER = make_payload(factories.REFERENCE), make_payload(factories.ANSWER)
ONE: tuple[tuple[int, int, str], ...] = ((1, 4, "c"),)


def proposed(protocol: Protocol, *payloads: dict[str, Any]) -> dict[str, Proposal]:
    assert protocol.causes is not None
    return dict(protocol.causes.propose([protocol.clean(payload) for payload in payloads]))


def test_the_worked_example() -> None:
    assert ANATOMY.causes is not None
    marked = ANATOMY.causes.marked(ANATOMY.clean(REFERENCE))
    found = proposed(ANATOMY, REFERENCE, ANSWER)
    # Decided as in the reference.
    assert {component: one.of(component in marked) for component, one in found.items()} == {
        "missing.hands": ("total", "severity"),
        "missing.face": ("missed",),
        "configuration.hands": ("count", "severity"),
        "proportion.limbs": ("not_an_error",),
    }
    assert list(found) == ["missing.hands", "missing.face", "configuration.hands", "proportion.limbs"]


def test_the_order_of_annotators_is_irrelevant() -> None:
    assert proposed(ANATOMY, REFERENCE, ANSWER) == proposed(ANATOMY, ANSWER, REFERENCE)


def test_another_error_type_on_the_same_part_comes_before_the_part() -> None:
    # Hands and limbs are neighbours, but the type on the same part is looked at first.
    found = proposals([{"missing.hands": ONE, "extra.limbs": ONE}, {"extra.hands": ONE}])
    assert found == {
        "missing.hands": Proposal(("type",), ("type",)),
        "extra.limbs": Proposal(("part",), ("part",)),
        "extra.hands": Proposal(("type",), ("type",)),
    }


@pytest.mark.parametrize(
    ("first", "second", "neighbours"),
    [
        ("limbs", "hands", True),
        ("limbs", "feet", True),
        ("torso", "limbs", True),
        ("torso", "face", True),
        ("hands", "feet", False),
        ("face", "limbs", False),
    ],
)
def test_neighbouring_parts(first: str, second: str, neighbours: bool) -> None:
    assert (frozenset((first, second)) in NEIGHBOURS) is neighbours
    found = proposals([{f"extra.{first}": ONE}, {f"extra.{second}": ONE}])
    one_sided = Proposal(("missed",), ("not_an_error",))
    swapped = Proposal(("part",), ("part",))
    assert set(found.values()) == {swapped if neighbours else one_sided}


def test_marking_both_is_no_swap() -> None:
    found = proposals([{"missing.hands": ONE, "extra.hands": ONE}, {"extra.hands": ONE}])
    assert found == {"missing.hands": Proposal(("missed",), ("not_an_error",))}


@pytest.mark.parametrize(
    ("other", "causes"),
    [
        (((2, 4, "c"),), ("count",)),
        (((1, 3, "c"),), ("total",)),
        (((1, 4, "a"),), ("severity",)),
        (((2, 3, "a"),), ("count", "total", "severity")),
    ],
)
def test_both_mark_it(other: tuple[tuple[int, int, str], ...], causes: Any) -> None:
    found = proposals([{"missing.limbs": ONE}, {"missing.limbs": other}])
    assert found == {"missing.limbs": Proposal(causes, ("not_an_error", *causes))}


def test_marks_that_differ_only_in_which_is_severe_propose_nothing() -> None:
    one, other = ((1, 4, "b"), (2, 4, "c")), ((2, 4, "b"), (1, 4, "c"))
    assert proposals([{"missing.limbs": one}, {"missing.limbs": other}]) == {
        "missing.limbs": Proposal((), ("not_an_error",))
    }


def test_three_annotators() -> None:
    found = proposals([{"missing.limbs": ONE}, {"missing.limbs": ((1, 4, "a"),)}, {}])
    assert found == {"missing.limbs": Proposal(("missed", "severity"), ("not_an_error",))}
    # A third who marks neither does not hide the exchange between the others.
    found = proposals([{"missing.hands": ONE}, {"extra.hands": ONE}, {}])
    assert {one.if_marked for one in found.values()} == {("type",)}
    assert proposals([{"missing.limbs": ONE}] * 3) == {}


def test_presence() -> None:
    empty = {"no_errors": False, "unsure": [], "flag": None, "note": ""}
    first = {**empty, "cells": ["missing.hands", "extra.face"]}
    second = {**empty, "cells": ["missing.limbs", "extra.feet"]}
    one_sided = Proposal(("missed",), ("not_an_error",))
    assert proposed(PRESENCE, first, second) == {
        "missing.limbs": Proposal(("part",), ("part",)),
        "missing.hands": Proposal(("part",), ("part",)),
        "extra.feet": one_sided,
        "extra.face": one_sided,
    }
