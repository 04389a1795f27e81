"""How long the steps of somebody new take, in words."""

from __future__ import annotations

import pytest

from annotator.web.views.first_day import durations, in_words


@pytest.mark.parametrize(
    ("least", "most", "words"),
    [
        (40, 149, "a few minutes"),
        (100, 180, "about 5 minutes"),
        (300, 600, "about 5 to 10 minutes"),
        (500, 900, "about 10 to 15 minutes"),
        (1875, 3375, "about 30 to 55 minutes"),
        (5000, 5400, "about 85 to 90 minutes"),
        (3000, 5401, "about 1 to 1½ hours"),
        (2501, 5500, "about ½ to 1½ hours"),
        (7100, 7300, "about 2 hours"),
        (25_000, 45_000, "about 7 to 12½ hours"),
    ],
)
def test_a_range_in_words(least: int, most: int, words: str) -> None:
    assert in_words(least, most) == words


def test_only_what_is_left_takes_time() -> None:
    images = {"train": 10, "qualify": 0, "label": 75}
    assert durations(images, (25, 45), reads=True) == {
        "train": "about 5 to 10 minutes",
        "label": "about 30 to 55 minutes",
        "read": "about 5 to 10 minutes",
        "all": "about 40 to 75 minutes",
    }
    assert durations({"label": 3}, (25, 45), reads=False) == {"label": "a few minutes"}
