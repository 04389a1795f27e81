"""Dots on the image, one for each body part that the annotator has counted."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from scoring.grid.taxonomy import BODY_PART_NOUNS, BODY_PARTS
from scoring.payloads import Refusals, shown
from scoring.protocol import PayloadWarning

MOST_DOTS: Final = 200
"""Of one body part."""
DIGITS: Final = 4

Dots = Mapping[str, tuple[tuple[float, float], ...]]
"""Body part → x and y of each dot as fractions of the image, to four digits, in the order of setting."""


def read_dots(value: object, refusals: Refusals) -> Dots:
    """Return the dots of a payload by body part, in the order of the taxonomy; no part without dots."""
    if not isinstance(value, dict):
        refusals.add("dots", "Refused: expected an object.")
        return MappingProxyType({})
    for part in (part for part in value if part not in BODY_PARTS):
        refusals.add("dots", f"Refused: dots of {shown(part)}; parts are {', '.join(BODY_PARTS)}.")
    dots_by_part = {part: _read_part(part, value[part], refusals) for part in BODY_PARTS if part in value}
    return MappingProxyType({part: dots for part, dots in dots_by_part.items() if dots})


def _read_part(part: str, value: object, refusals: Refusals) -> tuple[tuple[float, float], ...]:
    field = f"dots.{part}"
    if not isinstance(value, list):
        refusals.add(field, "Refused: expected a list.")
        return ()
    if len(value) > MOST_DOTS:
        refusals.add(field, f"Refused: {len(value)} dots of {part}; the limit is {MOST_DOTS}.")
        return ()
    read = [_read_dot(dot) for dot in value]
    if None in read:
        number = read.index(None) + 1
        refusals.add(field, f"Refused: dot {number} of {part} is not [x, y] with numbers from 0 to 1.")
    return tuple(dot for dot in read if dot is not None)


def _read_dot(value: object) -> tuple[float, float] | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    if not all(isinstance(x, int | float) and not isinstance(x, bool) and 0 <= x <= 1 for x in value):
        return None
    x, y = (abs(round(float(coordinate), DIGITS)) for coordinate in value)
    return (x, y)


def dot_warnings(dots: Dots, visible: Mapping[str, int]) -> Iterator[PayloadWarning]:
    """Warn about each body part whose visible count is not the number of its dots."""
    for part, own_dots in dots.items():
        entered = visible.get(part)
        if entered != len(own_dots):
            text = f"{_in_words(len(own_dots))}, {'none' if entered is None else entered} entered for visible"
            message = f"{text} {BODY_PART_NOUNS[part][1]}. Kept as typed."
            yield PayloadWarning(f"counts.visible.{part}", "dots_differ", message)


def _in_words(dots: int) -> str:
    return "1 dot" if dots == 1 else f"{dots} dots"
