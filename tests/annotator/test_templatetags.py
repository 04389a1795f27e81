"""Rounding in the templates: three decimals, halves upward, from exact numbers; times to the second."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from annotator.templatetags.anatomark import duration, moment, percent, score


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


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0 s"),
        (48_400, "48 s"),
        (59_600, "1 min 00 s"),
        (72_000.0, "1 min 12 s"),
        (3_600_000, "1 h 00 min"),
        (5_520_000, "1 h 32 min"),
        (None, "–"),
    ],
)
def test_durations(milliseconds: float | None, text: str) -> None:
    assert duration(milliseconds) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Decimal("0.2500"), "25%"),
        (0, "0%"),
        (1, "100%"),
        (Fraction(1, 3), "33.33%"),
        (Decimal("0.0050"), "0.5%"),
    ],
)
def test_percentages(share: Decimal | Fraction | float, text: str) -> None:
    assert percent(share) == text


AT = datetime(2025, 1, 14, 23, 41, 5, tzinfo=UTC)


def test_a_moment_is_in_utc_with_its_shape() -> None:
    assert moment(AT) == (
        '<time datetime="2025-01-14T23:41:05+00:00" data-shape="j M Y, H:i" '
        'title="2025-01-14 23:41:05 UTC">14 Jan 2025, 23:41 UTC</time>'
    )
