"""What is clear and what inconclusive."""

from __future__ import annotations

from typing import Any

from analysis.first_screen.conclusions import conclusions_of
from analysis.first_screen.ranking import Order
from tests.analysis.first_screen.making import basis, pair, result

SCOPE = "for prompts and annotators like these (p < 0.001 after Holm)."
THREE = {"a": 0.8, "b": 1.8, "c": 2.1}


def said(keys: dict[str, Any], unclear: set[frozenset[str]]) -> list[tuple[str, str, str]]:
    found = conclusions_of(result(**keys), Order(basis(THREE, unclear)))
    return [(one.word, one.bold, one.rest) for one in found]


def test_each_pair_is_in_one_line() -> None:
    assert said({}, {frozenset("bc")}) == [
        ("Clear", "a scores lower", f"than c by 1.30, than b by 1.00, {SCOPE}"),
        (
            "Inconclusive",
            "b or c?",
            "Either may be better: b may score up to 0.95 lower or 0.35 higher than c (joint 95% interval).",
        ),
    ]


def test_pairs_without_a_test_say_why() -> None:
    untested = pair("b", "c", -0.3, clear=False) | {"p": None, "p_holm": None}
    untested["simultaneous"] = untested["difference"] = {
        "value": -0.3,
        "low": None,
        "high": None,
        "refused": "no variance on either side",
    }
    order = Order(basis({"b": 1.8, "c": 2.1}, set()))
    order.basis = type(order.basis)("image", order.basis.means, [untested])
    (one,) = conclusions_of(result(), order)
    assert (one.word, one.rest) == ("Inconclusive", "Not tested: no variance on either side.")


def test_generators_with_too_few_scores_are_left_out() -> None:
    order = Order(basis(THREE, set(), {"b": 3}))
    (one,) = conclusions_of(result(), order)
    assert (one.bold, one.rest) == ("a scores lower", f"than c by 1.30, {SCOPE}")


def test_a_corrected_p_near_its_limit_is_said_to_be_there() -> None:
    near = pair("a", "b", -1.0, clear=True) | {"p_holm": 0.0493}
    order = Order(basis({"a": 0.8, "b": 1.8}, set()))
    order.basis = type(order.basis)("image", order.basis.means, [near])
    (one,) = conclusions_of(result(), order)
    assert one.rest.endswith("for prompts and annotators like these (p = 0.049 after Holm, at the limit).")
