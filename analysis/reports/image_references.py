"""References of a comparison's strips to images, which change when a report moves between projects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def with_images(value: Any, place: Callable[[int], int]) -> Any:
    """Return strips whose images are what `place` gives for them; anything else stays as it is."""
    if isinstance(value, Mapping):
        return {
            key: place(item) if key == "image" and isinstance(item, int) else with_images(item, place)
            for key, item in value.items()
        }
    return [with_images(item, place) for item in value] if isinstance(value, list) else value
