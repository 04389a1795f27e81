"""What a spreadsheet would run gets one apostrophe, which imports take off again."""

from __future__ import annotations

import pytest

from scoring.formula_guard import guarded, without_guard


@pytest.mark.parametrize(
    "text",
    ["=1+1", "'=1+1", "''=1", "'' =", "-5", "\tx", " =1+1", "\u3000@x", "\u00a0+x", "' =1"]
    + [f"{sign}1" for sign in "\uff1d\uff0b\uff0d\uff20"],
)
def test_a_formula_is_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert without_guard(guarded(text)) == text


@pytest.mark.parametrize("text", ["-", "'fine", "'", "", " x", "a=b", "１２", "−1"])
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert guarded(text) == without_guard(text) == text


def test_a_guard_from_elsewhere_is_taken_off() -> None:
    assert [without_guard(text) for text in ("'-", "'=x", "''=x")] == ["-", "=x", "'=x"]
