"""Check the page's record of how an annotation was made, which is stored with it.

An implausible record is dropped as a whole; the annotation is stored anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal, cast

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

LONGEST_MS: Final = 31 * 24 * 60 * 60 * 1000
"""Milliseconds: a month. Longer times say nothing about one image."""

EFFORT: Final = (
    *("opened_at", "first_input_at", "visible_ms", "active_ms", "keys", "clicks", "taps", "undos"),
    *("first_cell", "zoom_ms", "suggestion", "shown_ms"),
)
"""The page counts on from these when an annotation is opened again, so each capture covers all openings."""


class InvalidCapture(ValueError):
    """A capture to drop; the text names the key and contains no submitted data."""


def _on_a_day(moment: str) -> str:
    datetime.fromisoformat(moment)
    return moment


_MOMENT: Final = r"^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$"
_Moment = Annotated[str, Field(pattern=_MOMENT), AfterValidator(_on_a_day)]
_Time = Annotated[float, Field(ge=0, le=LONGEST_MS)]
_Count = Annotated[int, Field(ge=0, le=1_000_000)]
_Sides = Annotated[list[Annotated[float, Field(ge=0, le=100_000)]], Field(min_length=2, max_length=2)]
_Cell = Annotated[str, Field(pattern=r"^[a-z_]{1,40}(\.[a-z_]{1,40}){0,2}$")]
_Cells = Annotated[list[_Cell], Field(max_length=100)]


class Capture(TypedDict, total=False):
    """The keys of a capture, all optional.

    Times are ISO 8601 in UTC; `visible_ms` and `active_ms` milliseconds; `viewport` and `image_css`
    width and height in CSS pixels; `confirmed` the cells in which the annotator has confirmed that one part
    has two errors; `visited` the cells that a guided annotator has visited; `suggestion` the run of the
    suggestion that was shown, `shown_ms` for how long; `zoom` what the batch allowed, `zoom_ms` how
    long the image was enlarged.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)  # type: ignore[misc]

    opened_at: _Moment
    sent_at: _Moment
    first_input_at: _Moment | None
    visible_ms: _Time
    active_ms: _Time
    shown_ms: _Time
    zoom_ms: _Time
    keys: _Count
    clicks: _Count
    taps: _Count
    undos: _Count
    viewport: _Sides
    image_css: _Sides
    first_cell: _Cell | None
    pixel_ratio: Annotated[float, Field(gt=0, le=100)]
    surround: Literal["light", "dark"]
    score_shown: bool
    confirmed: _Cells
    visited: _Cells
    suggestion: Annotated[int, Field(ge=1, le=2**63 - 1)]
    zoom: Literal["none", "loupe", "free"]


_CAPTURE: Final = TypeAdapter(Capture)


def read_capture(value: object) -> dict[str, Any]:
    """Return a capture whose keys are known and whose values are within bounds. Raises InvalidCapture."""
    try:
        _CAPTURE.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        named = str(first["loc"][0]) if first["loc"] else "not an object"
        raise InvalidCapture("an unknown key" if first["type"] == "extra_forbidden" else named) from None
    return dict(cast("dict[str, Any]", value))


def effort_of(capture: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a stored capture that the page counts on from; empty if there is none."""
    return {name: capture[name] for name in EFFORT if capture.get(name) is not None}
