"""Geometry of control charts for SVG in a template: points, their average and its limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from analysis.tables.table import rounded


@dataclass(frozen=True)
class Mark:
    """A point of the chart, or the height and label of a grid line."""

    x: float
    y: float
    label: str = ""


@dataclass(frozen=True)
class ControlChart:
    """A chart: `line` is the average, `out` its part since the alarm, `band` the limits.

    `since` marks the anchor at which it left the limits; `number` is its place among all anchors.
    """

    width: int
    height: int
    left: float
    right: float
    zero: float
    band: str
    line: str
    out: str
    points: Sequence[Mark]
    ticks: Sequence[Mark]
    numbers: Sequence[Mark]
    last: Mark
    since: Mark | None
    description: str


_LARGE: Final = (600, 164, 40, 500, 14, 138)
_SMALL: Final = (150, 40, 3, 143, 4, 36)


def control_chart(found: Mapping[str, Any], *, small: bool = False) -> ControlChart | None:
    """Draw a chart of a report's line; None without points. Below the needed anchors there are no limits."""
    points: Sequence[Sequence[float | None]] = found["points"]
    if not points:
        return None
    width, height, left, right, top, bottom = _SMALL if small else _LARGE
    values = [abs(value) for point in points for value in point[small:] if value is not None]
    reach = max(values) or 1.0
    step = next((each for each in (0.05, 0.1, 0.2, 0.5, 1.0, 2.0) if reach / each <= 3), ceil(reach / 3))
    reach = reach if small else ceil(reach / step - 1e-9) * step
    first = found["anchors"] - len(points) + 1

    def x(place: int) -> float:
        return round(left + (right - left) * (place / (len(points) - 1) if len(points) > 1 else 1), 1)

    def y(value: float) -> float:
        return round((top + bottom) / 2 - (bottom - top) / 2 * max(-1.0, min(1.0, value / reach)), 1)

    average = [(x(place), y(point[1] or 0.0)) for place, point in enumerate(points)]
    limited = [(place, point[2]) for place, point in enumerate(points) if point[2] is not None]
    upper = [(x(place), y(limit)) for place, limit in limited]
    lower = [(x(place), y(-limit)) for place, limit in reversed(limited)]
    out = max(found["since"] - first, 0) if found["since"] else None
    last = points[-1][1] or 0.0
    count = round(reach / step)
    every = max(1, ceil(len(points) / 10))
    return ControlChart(
        width=width,
        height=height,
        left=left,
        right=right,
        zero=y(0),
        band=_joined([*upper, *lower]) if len(limited) > 1 else "",
        line=_joined(average),
        out="" if out is None else _joined(average[out:]),
        points=[] if small else [Mark(x(place), y(point[0] or 0.0)) for place, point in enumerate(points)],
        ticks=[] if small else [Mark(0, y(step * k), _signed(step * k)) for k in range(-count, count + 1)],
        numbers=[] if small else [Mark(x(k), 0, str(first + k)) for k in range(0, len(points), every)],
        last=Mark(x(len(points) - 1), y(last), _signed(last)),
        since=None if out is None or small else Mark(x(out), y(points[out][1] or 0.0), str(found["since"])),
        description=_described(found, last),
    )


def _described(found: Mapping[str, Any], last: float) -> str:
    text = f"{found['anchors']} anchors; the average is now {_signed(last)}"
    return f"{text}; beyond its limit since anchor {found['since']}" if found["since"] else text


def _signed(value: float) -> str:
    text = rounded(value, 2)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def _joined(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)
