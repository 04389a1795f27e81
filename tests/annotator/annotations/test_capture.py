"""What is believed of how an answer came about."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.annotations.capture import InvalidCapture, read_capture

FIG_8 = {
    "opened_at": "2025-01-14T10:41:20.114Z",
    "first_input_at": "2025-01-14T10:41:43.902Z",
    "sent_at": "2025-01-14T10:42:07.310Z",
    "visible_ms": 47196,
    "active_ms": 21450,
    "keys": 17,
    "clicks": 1,
    "taps": 0,
    "undos": 0,
    "first_cell": "missing.limbs",
    "viewport": [1280, 720],
    "image_css": [592, 395],
    "pixel_ratio": 1,
    "surround": "light",
    "score_shown": False,
}


def test_the_documented_capture_is_taken_as_it_is() -> None:
    assert read_capture(FIG_8) == FIG_8


@pytest.mark.parametrize(
    "change",
    [
        {"first_input_at": None},
        {"first_cell": None},
        {"visible_ms": 0.25},
        {"visible_ms": 31 * 24 * 60 * 60 * 1000},
        {"keys": 1_000_000},
        {"image_css": [0, 394.6640625]},
        {"pixel_ratio": 1.25},
        {"surround": "dark"},
        {"score_shown": True},
        {"opened_at": "2025-01-14T10:41:20Z"},
        {"first_cell": "realism"},
        {"zoom": "loupe", "zoom_ms": 683},
        {"suggestion": 7, "shown_ms": 4000},
        {"confirmed": ["configuration.hands", "missing.feet"]},
    ],
)
def test_within_bounds(change: dict[str, Any]) -> None:
    assert read_capture({**FIG_8, **change}) == {**FIG_8, **change}


ODD: tuple[object, ...] = ("\0", "x" * 10_000, {}, [[]], -1, float("nan"), 10**400)
MOMENTS: tuple[object, ...] = (
    "2025-02-30T10:00:00Z",
    "2025-01-14T25:00:00Z",
    "2025-01-14T10:41:20",
    "2025-01-14T10:41:20+01:00",
    "2025-01-14",
    "2025-01-14T10:41:20.114Z\n",
    "２025-01-14T10:41:20Z",
    "1899-01-14T10:41:20Z",
)
SIDES: tuple[object, ...] = (
    [],
    [1],
    [1, 2, 3],
    [1, -1],
    [1, "2"],
    [1, None],
    [1, True],
    [1, 100_001],
    [1, float("inf")],
)
WRONG: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(("opened_at", "sent_at"), (True, None, *MOMENTS)),
    "first_input_at": (True, *MOMENTS),
    **dict.fromkeys(("visible_ms", "active_ms"), (True, None, 31 * 24 * 60 * 60 * 1000 + 1)),
    **dict.fromkeys(("keys", "clicks", "taps", "undos"), (True, None, 1.5, 1.0, 1_000_001)),
    **dict.fromkeys(("viewport", "image_css"), (True, None, *SIDES)),
    "pixel_ratio": (True, None, 0, 101),
    "surround": (True, None, "auto"),
    "first_cell": (True, "Missing · Limbs", "", "a." * 4),
    "score_shown": (None,),
}


@pytest.mark.parametrize("key", FIG_8)
def test_what_cannot_be_true_is_dropped_by_name(key: str) -> None:
    for value in (*ODD, *WRONG[key]):
        with pytest.raises(InvalidCapture) as caught:
            read_capture({**FIG_8, key: value})
        assert (value, caught.value.reason) == (value, key)


@pytest.mark.parametrize(
    "change",
    [
        {"zoom": "brightness"},
        {"zoom_ms": -1},
        {"shown_ms": -1},
        {"confirmed": "configuration.hands"},
        {"confirmed": [None]},
        {"confirmed": ["x"] * 101},
    ],
)
def test_zoom_and_confirmations_out_of_bounds(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidCapture):
        read_capture({**FIG_8, **change})
