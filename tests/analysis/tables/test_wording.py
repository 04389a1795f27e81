"""Numbers in sentences."""

from __future__ import annotations

import pytest

from analysis.tables.wording import by_chance


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.0009, "in fewer than 1 of 1,000 studies (p < 0.001)"),
        (0.001, "in 1 of 1,000 studies (p = 0.001)"),
        (0.0094, "in 9 of 1,000 studies (p = 0.009)"),
        (0.0638, "in 6 of 100 studies (p = 0.064)"),
        (0.894, "in 89 of 100 studies (p = 0.894)"),
        (0.9, "readily (p = 0.900)"),
    ],
)
def test_a_p_value_is_a_share_of_studies(p: float, words: str) -> None:
    assert by_chance(p) == words


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.0009, "for some pair in fewer than 1 of 1,000 studies (Holm p < 0.001)"),
        (0.0063, "for some pair in at most 7 of 1,000 studies (Holm p = 0.006)"),
        (0.07, "for some pair in at most 7 of 100 studies (Holm p = 0.070)"),
        (0.0701, "for some pair in at most 8 of 100 studies (Holm p = 0.070)"),
        (0.894, "for some pair in at most 90 of 100 studies (Holm p = 0.894)"),
        (1.0, "readily (Holm p = 1.000)"),
    ],
)
def test_a_corrected_p_value_bounds_the_share_of_all_pairs(p: float, words: str) -> None:
    assert by_chance(p, pairs=3) == words
