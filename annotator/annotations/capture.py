"""Check the page's record of how an annotation was made, which is stored with it.

An implausible record is dropped as a whole; the annotation is stored anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

LONGEST_MS: Final = 31 * 24 * 60 * 60 * 1000
"""Milliseconds: a month. Longer times say nothing about one image."""

MOST_INPUTS: Final = 1_000_000
LARGEST_SIDE: Final = 100_000
"""CSS pixels."""

LARGEST_PIXEL_RATIO: Final = 100
SURROUNDS: Final = ("light", "dark")
ZOOMS: Final = ("none", "loupe", "free")

MOST_CELLS: Final = 100
_LARGEST_KEY: Final = 2**63 - 1

EFFORT: Final = (
    *("opened_at", "first_input_at", "visible_ms", "active_ms", "keys", "clicks", "taps", "undos"),
    *("first_cell", "zoom_ms", "suggestion", "shown_ms"),
)
"""The page counts on from these when an annotation is opened again, so each capture covers all openings."""

_MOMENT: Final = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z")
_CELL: Final = re.compile(r"[a-z_]{1,40}(\.[a-z_]{1,40}){0,2}")


class InvalidCapture(ValueError):
    """A capture to drop; the text names the key and contains no submitted data."""


def read_capture(value: object) -> dict[str, Any]:
    """Return a capture after checking that its keys are known and its values within bounds; keys are
    optional.

    Times are ISO 8601 in UTC; `visible_ms` and `active_ms` milliseconds; `viewport` and `image_css`
    width and height in CSS pixels; `confirmed` the cells in which the annotator has confirmed that one part
    has two errors; `visited` the cells that a guided annotator has visited; `suggestion` the run of the
    suggestion that was shown, `shown_ms` for how long; `zoom` what the batch allowed, `zoom_ms` how
    long the image was enlarged. Raises InvalidCapture.
    """
    if not isinstance(value, Mapping):
        raise InvalidCapture("not an object")
    if any(key not in _READERS for key in value):
        raise InvalidCapture("an unknown key")
    for key, entry in value.items():
        if not _READERS[key](entry):
            raise InvalidCapture(key)
    return dict(value)


def effort_of(capture: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a stored capture that the page counts on from; empty if there is none."""
    return {name: capture[name] for name in EFFORT if capture.get(name) is not None}


def _within(least: int, most: int, kinds: Any = int | float) -> Callable[[object], bool]:
    """Return a reader of numbers. In Python, booleans are ints; the comparison rejects NaN and infinity."""
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most


_TIME: Final = _within(0, LONGEST_MS)
_COUNT: Final = _within(0, MOST_INPUTS, int)
_SIDE: Final = _within(0, LARGEST_SIDE)
_RATIO: Final = _within(0, LARGEST_PIXEL_RATIO)


def _moment(value: object) -> bool:
    if not (isinstance(value, str) and _MOMENT.fullmatch(value)):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _cell(value: object) -> bool:
    return value is None or (isinstance(value, str) and _CELL.fullmatch(value) is not None)


def _sides(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_SIDE, value))


def _cells(value: object) -> bool:
    return isinstance(value, list) and len(value) <= MOST_CELLS and all(_cell(x) and x for x in value)


_READERS: Final[Mapping[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("opened_at", "sent_at"), _moment),
    **dict.fromkeys(("visible_ms", "active_ms", "shown_ms", "zoom_ms"), _TIME),
    **dict.fromkeys(("keys", "clicks", "taps", "undos"), _COUNT),
    **dict.fromkeys(("viewport", "image_css"), _sides),
    "first_input_at": lambda value: value is None or _moment(value),
    "first_cell": _cell,
    "pixel_ratio": lambda value: value != 0 and _RATIO(value),
    "surround": lambda value: value in SURROUNDS,
    "score_shown": lambda value: isinstance(value, bool),
    **dict.fromkeys(("confirmed", "visited"), _cells),
    "suggestion": _within(1, _LARGEST_KEY, int),
    "zoom": lambda value: value in ZOOMS,
}
