"""Rounding in the templates: three decimals, halves upward, from exact numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from annotator.templatetags.anatomark import score


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("67/60", "1.117"),
        (Fraction(9, 16), "0.563"),
        (Fraction(1, 16), "0.063"),
        (Fraction(1, 3), "0.333"),
        ("2/3", "0.667"),
        (12.5, "12.500"),
        ("0/1", "0.000"),
        (Fraction(9999, 10000), "1.000"),
        (None, "–"),
        ("", "–"),
    ],
)
def test_scores(value: Fraction | str | float | None, text: str) -> None:
    assert score(value) == text
