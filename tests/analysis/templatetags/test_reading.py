"""Lines break between numbers, never inside one."""

from __future__ import annotations

import pytest

from analysis.templatetags.reading import NO_BREAK, unbroken


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("differ (p < 0.001, uncorrected)", "differ (p_<_0.001, uncorrected)"),
        ("Welch p = 0.012, after", "Welch p_=_0.012, after"),
        ("difference −1.25 [−1.69, −0.89], image-wise", "difference −1.25_[−1.69,_−0.89], image-wise"),
        ("F(2, 228) = 23.84, and", "F(2, 228)_=_23.84, and"),
        ("an interval of ± 0.10 needs 95% of", "an interval of ±_0.10 needs 95% of"),
        ("the most (62% [53, 70]) and", "the most (62%_[53,_70]) and"),
        ("Over 60 images, 4 annotators.", "Over 60 images, 4 annotators."),
        ("from mild ≤ moderate", "from mild ≤ moderate"),
    ],
)
def test_what_belongs_to_a_number_stays_with_it(text: str, held: str) -> None:
    assert unbroken(text).replace(NO_BREAK, "_") == held
    assert unbroken(text).replace(NO_BREAK, " ") == text
