"""Verdicts of a quality report in words."""

from __future__ import annotations

import pytest

from analysis.tables.quality import reasons_of, title_of


def test_repeats_are_called_different_with_the_interval_that_shows_it() -> None:
    alpha = {"value": -0.02, "low": -0.41, "high": 0.36}
    line = {"reasons": ["unstable"], "repeats": {"pairs": 10, "alpha": alpha}}
    said = "Judges images differently the second time: alpha −0.02 [−0.41, 0.36], 10 repeats"
    assert reasons_of(line, {"settings": {}}) == [said]


@pytest.mark.parametrize(
    ("verdicts", "title"),
    [
        (["stop", "stop"], "2 annotators to check"),
        (["look", "stop", "fine"], "1 annotator to check, 1 to look at, 1 fine"),
        (["fine"] * 3, "3 annotators fine"),
    ],
)
def test_the_verdicts_in_one_sentence(verdicts: list[str], title: str) -> None:
    assert title_of([{"verdict": verdict} for verdict in verdicts]) == title
