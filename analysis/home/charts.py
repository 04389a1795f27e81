"""Geometry of the small charts on the overview, for SVG in a template: no script, nothing to load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil, floor
from typing import Final

from analysis.tables.table import rounded

WIDTH: Final = 370
HEIGHT: Final = 158
_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 326, 20, 138


@dataclass(frozen=True)
class Point:
    """An estimate of a day, with its 95% interval where there is one, and the number of images behind it."""

    day: date
    value: float
    low: float | None
    high: float | None
    images: int


@dataclass(frozen=True)
class Tick:
    """A line of the grid and its label, or a label of a day."""

    at: float
    label: str


@dataclass(frozen=True)
class LineChart:
    """A line with its band: points of SVG's `polyline` and `polygon`, ticks, and the last point.

    `changes` are days on which something happened that may explain a jump, such as a new guideline version.
    """

    line: str
    band: str
    ticks: Sequence[Tick]
    days: Sequence[Tick]
    x: float
    y: float
    last: str
    bar: tuple[float, float] | None
    dashed: Tick | None = None
    changes: Sequence[Tick] = ()
    left: float = _LEFT
    right: float = _RIGHT
    bottom: float = _BOTTOM
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class ProgressLine:
    """The annotations done by day; the total is a dashed line at `total_y`, and today is at (`x`, `y`)."""

    line: str
    total_y: float
    x: float
    y: float
    first: Tick


def line_chart(
    points: Sequence[Point],
    *,
    low: float,
    high: float,
    dashed: float | None = None,
    changes: Mapping[date, str] | None = None,
) -> LineChart:
    """Draw at least one point; the axis goes from `low` to `high`, or further if a value does.

    Of the `changes`, day and name, those between the first and the last point are drawn.
    """
    first, days = points[0].day, max((points[-1].day - points[0].day).days, 1)
    lowest = min([low, *(_low(point) for point in points)])
    highest = max([high, *(_high(point) for point in points)])
    step = _step(highest - lowest)
    lowest, highest = floor(lowest / step) * step, ceil(highest / step - 1e-9) * step

    def x(day: date) -> float:
        share = (day - first).days / days if len(points) > 1 else 1
        return round(_LEFT + (_RIGHT - _LEFT) * share, 1)

    def y(value: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * (value - lowest) / (highest - lowest), 1)

    last = points[-1]
    upper = [(x(point.day), y(_high(point))) for point in points]
    lower = [(x(point.day), y(_low(point))) for point in reversed(points)]
    count = round((highest - lowest) / step)
    return LineChart(
        line=_joined((x(point.day), y(point.value)) for point in points),
        band=_joined([*upper, *lower]) if len(points) > 1 else "",
        ticks=[
            Tick(y(lowest + step * k), f"{lowest + step * k:.2f}".replace("-", "\u2212"))
            for k in range(count + 1)
        ],
        days=[Tick(x(point.day), _day(point.day)) for point in _ends(points)],
        x=x(last.day),
        y=y(last.value),
        last=rounded(last.value, 2),
        bar=(y(_high(last)), y(_low(last))) if len(points) == 1 else None,
        dashed=None if dashed is None else Tick(y(dashed), f"{dashed:.3f}"),
        changes=[
            Tick(x(day), name) for day, name in sorted((changes or {}).items()) if first <= day <= last.day
        ],
    )


def progress_line(done: Sequence[tuple[date, int]], total: int) -> ProgressLine:
    """Draw what was done by each of at least two days, today last."""
    first, today = done[0][0], done[-1][0]
    days = max((today - first).days, 1)
    left, right, top, bottom = 4.0, 248.0, 8.0, 88.0

    def x(day: date) -> float:
        return round(left + (right - left) * (day - first).days / days, 1)

    def y(count: float) -> float:
        return round(bottom - (bottom - top) * min(count / max(total, 1), 1), 1)

    return ProgressLine(
        line=_joined((x(day), y(count)) for day, count in done),
        total_y=y(total),
        x=x(today),
        y=y(done[-1][1]),
        first=Tick(x(first), _day(first)),
    )


def _low(point: Point) -> float:
    return point.value if point.low is None else point.low


def _high(point: Point) -> float:
    return point.value if point.high is None else point.high


def _ends(points: Sequence[Point]) -> Sequence[Point]:
    """Return the points whose days are labelled: the first, the last, and one between them."""
    if len(points) < 5:
        return [points[0], points[-1]] if len(points) > 1 else [points[-1]]
    return [points[0], points[len(points) // 2], points[-1]]


def _step(span: float) -> float:
    """Return a round distance of grid lines, for two to five of them."""
    for step in (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0):
        if span / step <= 4:
            return step
    return float(ceil(span / 4))


def _joined(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


def _day(day: date) -> str:
    return f"{day.day} {day:%b}"
