"""Rounding in the templates: three decimals, halves upward, from exact numbers; times to the second."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from annotator.templatetags.anatomark import moment, percent, score


@pytest.mark.parametrize(
    ("shown", "value", "text"),
    [
        (score, "67/60", "1.117"),
        (score, Fraction(9, 16), "0.563"),
        (score, Fraction(9999, 10000), "1.000"),
        (score, None, "–"),
        (percent, Decimal("0.2500"), "25%"),
        (percent, Fraction(1, 3), "33.33%"),
    ],
)
def test_numbers_as_pages_show_them(shown: Callable[[Any], str], value: object, text: str) -> None:
    assert shown(value) == text


def test_a_moment_is_in_utc_with_its_shape() -> None:
    assert moment(datetime(2025, 1, 14, 23, 41, 5, tzinfo=UTC)) == (
        '<time datetime="2025-01-14T23:41:05+00:00" data-shape="j M Y, H:i" '
        'title="2025-01-14 23:41:05 UTC">14 Jan 2025, 23:41 UTC</time>'
    )
