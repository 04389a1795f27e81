"""What is clear, inconclusive and uncertain."""

from __future__ import annotations

from typing import Any

from analysis.first_screen.conclusions import conclusions_of
from analysis.first_screen.ranking import Order
from tests.analysis.first_screen.making import basis, pair, result

RARE = "Chance alone would do that in fewer than 1 of 1,000 studies (p < 0.001)."
ANY = "Chance alone would do that for some pair in fewer than 1 of 1,000 studies (Holm p < 0.001)."
THREE = {"a": 0.8, "b": 1.8, "c": 2.1}


def said(keys: dict[str, Any], unclear: set[frozenset[str]]) -> list[tuple[str, str, str]]:
    found = conclusions_of(result(**keys), Order(basis(THREE, unclear)))
    return [(one.word, one.bold, one.rest) for one in found]


def test_each_pair_is_in_one_line() -> None:
    assert said({}, {frozenset("bc")}) == [
        ("Clear", "a scores lower", f"than c by 1.30, than b by 1.00 on these prompts. {ANY}"),
        (
            "Inconclusive",
            "b or c?",
            "Either may be better: b may score up to 0.95 lower or 0.35 higher than c (joint 95% interval).",
        ),
    ]


def test_what_does_not_hold_over_prompts_is_uncertain() -> None:
    over_prompts = pair("b", "a", 1.0, clear=False) | {"a_lower": 2, "b_lower": 8, "prompts_shared": 10}
    told = (
        "the advantage of a over b is uncertain: a is lower on 8 of the 10 prompts; chance alone would "
        "give such an advantage in 40 of 100 studies (p = 0.400); up to 5 of 100 counts as clear."
    )
    found = said({"blocked_by_prompt": {"pairs": [over_prompts]}}, set())
    assert found[-1] == ("Uncertain", "On other prompts", told)
    holds = pair("a", "c", -1.3, clear=True)
    found = said({"blocked_by_prompt": {"pairs": [over_prompts, holds]}}, set())
    of_two = told.replace("in 40 of 100 studies (p", "for some pair in at most 40 of 100 studies (Holm p")
    assert found[-1] == ("Uncertain", "On other prompts", f"{of_two} The advantage of a over c holds.")
    more = pair("b", "c", -1.1, clear=True)
    found = said({"blocked_by_prompt": {"pairs": [over_prompts, holds, more]}}, set())
    assert found[-1][2].endswith(" The advantages of a over c and of b over c hold.")


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
    assert (one.bold, one.rest) == ("a scores lower", f"than c by 1.30 on these prompts. {RARE}")
