"""The ranking of generators as a picture: ranks with ties, an axis from 0, and generators without a clear
difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.first_screen.basis import ENOUGH, FEWEST, Basis, Scored
from analysis.tables.comparison.finding import is_clear
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, counted, lower_first
from scoring.rounding import percent

MOST_TICKS: Final = 7
MOST_LANES: Final = 3
HEADROOM: Final = 1.08
"""Part of the axis beyond the largest value, where brackets are named."""
SCROLLS_FROM: Final = 9
FEWEST_FOR_PERCENT: Final = 20
"""Images below which a share is shown as `1 of 8`."""
_STEPS: Final = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Tick:
    """A line of the axis: `at` percent from the left."""

    at: str
    text: str


@dataclass(frozen=True)
class BracketPart:
    """One row's part of a bracket: `from_y` to `to_y` in percent of the row; `lane` shifts it (pixels).

    `ends` in this row if it is the first or the last; `label` stands below the row.
    """

    lane: int
    from_y: str
    to_y: str
    ends: bool
    label: bool


@dataclass(frozen=True)
class Ranked:
    """One generator's row; positions in percent of the axis, empty without an interval.

    `state` is `few` (below 20), `too-few` (below 8: neither interval nor rank) or empty. `clean` is the share
    without errors in words, empty if the report does not say; `some_clean` whether there are any.
    """

    generator: str
    n: int
    rank: str
    size: str
    state: str
    value: str
    interval: str
    at: str
    low: str
    high: str
    brackets: Sequence[BracketPart] = ()
    clean: str = ""
    some_clean: bool = False


@dataclass(frozen=True)
class Ranking:
    """All rows, fewest errors first, and the axis."""

    rows: Sequence[Ranked]
    ticks: Sequence[Tick]

    @property
    def scrolls(self) -> bool:
        """Whether there are too many rows for one screen."""
        return len(self.rows) >= SCROLLS_FROM


class Order:
    """Generators with enough scores, best first, and which of them differ clearly.

    Lower means are better unless `higher_is_better`. Below `fewest` scores a generator has no rank, below
    `enough` it is marked.
    """

    def __init__(
        self, basis: Basis, *, higher_is_better: bool = False, fewest: int = FEWEST, enough: int = ENOUGH
    ) -> None:
        self.basis, self.enough, self.fewest = basis, enough, fewest
        known = [one for one in basis.means if one.n >= fewest and one.mean["value"] is not None]
        sign = -1 if higher_is_better else 1
        self.ranked: list[Scored] = sorted(
            known, key=lambda one: sign * (one.mean["value"] if one.order is None else one.order)
        )
        self.others = [one for one in basis.means if one not in known]
        better, worse = "ba" if higher_is_better else "ab"
        clear = [lower_first(test) for test in basis.tests if is_clear(test)]
        self._better = {(test[better], test[worse]) for test in clear}

    def differ(self, a: str, b: str) -> bool:
        """Return whether two generators differ clearly (Holm)."""
        return self.better(a, b) or self.better(b, a)

    def better(self, a: str, b: str) -> bool:
        """Return whether the first generator is clearly better than the second."""
        return (a, b) in self._better

    def rank(self, place: int) -> tuple[int, int]:
        """Return the first and the last rank that a generator may have."""
        name = self.ranked[place].generator
        below = sum(self.better(other.generator, name) for other in self.ranked)
        above = sum(self.better(name, other.generator) for other in self.ranked)
        return below + 1, len(self.ranked) - above

    def leaders(self) -> list[str]:
        """Return the best generators, each clearly better than all others.

        Empty if there are none: nothing is clear, or the border between the first and the rest is not.
        """
        names = [one.generator for one in self.ranked]
        first = [name for name in names if name == names[0] or not self.differ(name, names[0])]
        rest = [name for name in names if name not in first]
        apart = all(self.better(one, other) for one in first for other in rest)
        return first if rest and apart else []

    def ties(self) -> list[tuple[int, int]]:
        """Return runs of rows of which no two differ clearly, as first and last place, longest runs only."""
        names = [one.generator for one in self.ranked]
        found: list[tuple[int, int]] = []
        for start in range(len(names)):
            end = start
            while end + 1 < len(names) and not any(
                self.differ(names[end + 1], names[at]) for at in range(start, end + 1)
            ):
                end += 1
            if end > start and not any(end <= known for _, known in found):
                found.append((start, end))
        return found


def ranking_of(order: Order) -> Ranking:
    """Return the picture of an order."""
    step, top = axis_of([one.mean for one in order.ranked + order.others])
    ties = order.ties()[:MOST_LANES] if len(order.ranked) > 2 else []
    rows = [_row(order, place, one, top, ties) for place, one in enumerate(order.ranked)]
    rows += [_apart(order, one, top) for one in order.others]
    ticks = [
        Tick(share_of(place * step, top), f"{round(place * step, 6):g}")
        for place in range(round(top / step) + 1)
    ]
    return Ranking(rows, ticks)


def axis_of(means: Sequence[object]) -> tuple[float, float]:
    """Return a round step and the end of the axis, a multiple of it that holds all values and intervals."""
    ends = [mean[key] for mean in means for key in ("value", "high") if mean[key] is not None]  # type: ignore[index]
    top = HEADROOM * max([*ends, 0.0])
    if top <= 0:
        return 0.5, 1.0
    scale = 10.0 ** math.floor(math.log10(top / (MOST_TICKS - 1)))
    step = next(each * scale for each in _STEPS if top / (each * scale) <= MOST_TICKS - 1 + 1e-9)
    return step, math.ceil(top / step - 1e-9) * step


def _row(order: Order, place: int, one: Scored, top: float, ties: Sequence[tuple[int, int]]) -> Ranked:
    first, last = order.rank(place)
    mean, size = one.mean, counted(one.n, order.basis.unit)
    bare = mean["low"] is None
    interval = "" if bare else f"{_two(mean['low'])} to {_two(mean['high'])}"
    return Ranked(
        generator=one.generator,
        n=one.n,
        rank=f"rank {first}" if first == last else f"rank {first}–{last}",
        size=size,
        state="few" if one.n < order.enough else "",
        value=_two(mean["value"]),
        interval=interval,
        at=share_of(mean["value"], top),
        low="" if bare else share_of(mean["low"], top),
        high="" if bare else share_of(mean["high"], top),
        brackets=[_part(lane, tie, place) for lane, tie in enumerate(ties) if tie[0] <= place <= tie[1]],
        clean=_clean(one),
        some_clean=bool(one.clean),
    )


def _clean(one: Scored) -> str:
    """Return how many images have no errors, in percent if there are enough; empty if unknown."""
    if one.clean is None:
        return ""
    few = one.n < FEWEST_FOR_PERCENT
    return f"{f'{one.clean:,} of {one.n}' if few else f'{percent(one.clean / one.n)}%'} without errors"


def _apart(order: Order, one: Scored, top: float) -> Ranked:
    """Return the row of a generator with too few scores."""
    value = one.mean["value"]
    return Ranked(
        generator=one.generator,
        n=one.n,
        rank="",
        size=counted(one.n, order.basis.unit),
        state="too-few",
        value="" if value is None else _two(value),
        interval=f"too few: {one.n} of {order.fewest}",
        at="" if value is None else share_of(value, top),
        low="",
        high="",
    )


def _part(lane: int, tie: tuple[int, int], place: int) -> BracketPart:
    return BracketPart(
        lane=6 - 8 * lane,
        from_y="50%" if place == tie[0] else "0%",
        to_y="50%" if place == tie[1] else "100%",
        ends=place in tie,
        label=lane == 0 and place == (tie[0] + tie[1]) // 2,
    )


def share_of(value: float, top: float) -> str:
    """Return where a value lies on an axis from 0 to `top`, in percent."""
    return f"{min(max(100 * value / top, 0), 100):.2f}%"


def _two(value: float) -> str:
    return rounded(value, PLACES)
