"""The generators as a picture: means on the protocol's own scale, brackets for pairs that differ clearly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from analysis.stats.comparison import AT_LIMIT, is_clear
from analysis.tables.wording import PLACES, better_first, counted, limits, rounded
from scoring.rounding import percent

ENOUGH: Final = 20
"""Images of a generator below which it is marked as resting on few."""
MOST_TICKS: Final = 7
MOST_POINTS: Final = 10
"""Points of a scale up to which it is drawn whole."""
MOST_LANES: Final = 3
LANE: Final = 9
"""Pixels from one bracket to the next."""
HEADROOM: Final = 1.08
"""Part of the axis beyond the largest value, where brackets are drawn."""
SCROLLS_FROM: Final = 9
FEWEST_FOR_PERCENT: Final = 20
"""Images below which a share is shown as `1 of 8`."""
_STEPS: Final = (1, 2, 2.5, 5, 10)

Scale = Sequence[float | None]
"""The least and the greatest possible score; None without a limit."""


@dataclass(frozen=True)
class Bracket:
    """Two rows, by place, of generators that differ clearly; `near` if that is at the limit."""

    first: int
    last: int
    near: bool


class Order:
    """The generators of a comparison, best mean first, and which of them differ clearly by the mixed model.

    `means` are rows of the table of generators, `tests` of that of differences. Lower means are better unless
    `higher_is_better`. Generators without a mean come last.
    """

    def __init__(
        self,
        means: Sequence[Mapping[str, Any]],
        tests: Sequence[Mapping[str, Any]],
        *,
        higher_is_better: bool = False,
    ) -> None:
        self.tests = tests
        self.rows = sorted(means, key=lambda row: _by_mean(row["mean"]["value"], higher_is_better))
        clear = [
            better_first(test, higher_is_better=higher_is_better)
            for test in tests
            if is_clear(test["p_holm"])
        ]
        self._near: dict[tuple[str, str], bool] = {
            (test["a"], test["b"]): test["verdict"] == AT_LIMIT for test in clear
        }

    def better(self, a: str, b: str) -> bool:
        """Return whether the first generator is clearly better than the second."""
        return (a, b) in self._near

    def worse_than(self, name: str) -> list[str]:
        """Return the generators that are clearly worse than this one, best first."""
        return [row["generator"] for row in self.rows if self.better(name, row["generator"])]

    def leaders(self) -> list[str]:
        """Return the best generators, each clearly better than all others.

        Empty if there are none: nothing is clear, or the border between the first and the rest is not.
        """
        names = [row["generator"] for row in self.rows]
        first = [name for name in names if name == names[0] or not self._differ(name, names[0])]
        rest = [name for name in names if name not in first]
        apart = all(self.better(name, other) for name in first for other in rest)
        return first if rest and apart else []

    def brackets(self) -> list[Bracket]:
        """Return the pairs to join: all that differ clearly, or the nearest of them if they are many.

        Of many, those are left out between which two others lie that differ clearly.
        """
        names = [row["generator"] for row in self.rows]
        pairs = [
            Bracket(first, last, self._near.get((one, other), self._near.get((other, one), False)))
            for (first, one), (last, other) in combinations(enumerate(names), 2)
            if self._differ(one, other)
        ]
        if len(pairs) > MOST_LANES:
            pairs = [
                pair
                for pair in pairs
                if not any(
                    inner != pair and pair.first <= inner.first and inner.last <= pair.last for inner in pairs
                )
            ]
        return sorted(pairs, key=lambda pair: (pair.last - pair.first, pair.first))[:MOST_LANES]

    def _differ(self, a: str, b: str) -> bool:
        return self.better(a, b) or self.better(b, a)


def _by_mean(value: float | None, higher_is_better: bool) -> tuple[bool, float]:
    return value is None, (-1 if higher_is_better else 1) * (value or 0.0)


def ranking_of(order: Order, scale: Scale) -> dict[str, Any]:
    """Return the picture of an order, of scores on this scale: its rows, best first, and the axis.

    `scrolls` tells that the rows scroll by themselves, so that what may be concluded stays in sight.
    """
    ticks = axis_of([row["mean"] for row in order.rows], scale)
    brackets = order.brackets()
    return {
        "rows": [_row(row, ticks, _brackets_at(place, brackets)) for place, row in enumerate(order.rows)],
        "ticks": ticks_of(ticks),
        "scrolls": len(order.rows) >= SCROLLS_FROM,
        "has_brackets": bool(brackets),
        "has_near": any(pair.near for pair in brackets),
    }


def axis_of(means: Sequence[Mapping[str, Any]], scale: Scale) -> list[float]:
    """Return the ticks of an axis from the start of the scale that holds all values and intervals.

    A scale of a few points is drawn whole, with a tick for each.
    """
    start, end = scale[0] or 0.0, scale[1]
    if end is not None and end - start < MOST_POINTS:
        return [start + point for point in range(math.ceil(end - start) + 1)]
    ends = [mean[key] for mean in means for key in ("value", "high") if mean[key] is not None]
    length = HEADROOM * (max([*ends, start]) - start)
    if length <= 0:
        return [start, start + 0.5, start + 1.0]
    tens = 10.0 ** math.floor(math.log10(length / (MOST_TICKS - 1)))
    step = next(size * tens for size in _STEPS if length / (size * tens) <= MOST_TICKS - 1 + 1e-9)
    return [start + step * place for place in range(math.ceil(length / step - 1e-9) + 1)]


def ticks_of(values: Sequence[float]) -> list[dict[str, str]]:
    """Return the lines of an axis at these values: `at` percent from the left, with a text."""
    return [{"at": share_of(value, values), "text": f"{round(value, 6):g}"} for value in values]


def dot(estimate: Mapping[str, Any], ticks: Sequence[float]) -> dict[str, str]:
    """Return an estimate as it is drawn on an axis with these ticks.

    `at`, `low` and `high` are in percent of the axis, empty where there is no value or no interval.
    """
    value = estimate["value"]
    places = zip(("at", "low", "high"), ("value", "low", "high"), strict=True)
    return {
        "value": "" if value is None else rounded(value, PLACES),
        "interval": limits(estimate) or estimate.get("refused") or "",
        **{at: "" if estimate[end] is None else share_of(estimate[end], ticks) for at, end in places},
    }


def _row(
    row: Mapping[str, Any], ticks: Sequence[float], brackets: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return one generator's row; `rank` is empty where the report gives none.

    `clean` is the share of images without errors in words, empty if the report does not say; `some_clean`
    whether there are any.
    """
    n = row["images"]
    return {
        "generator": row["generator"],
        "rank": f"rank {row['rank']}" if row.get("rank") else "",
        "size": counted(n, "image"),
        "few": n < ENOUGH,
        **dot(row["mean"], ticks),
        "brackets": brackets,
        "clean": _clean(row.get("clean"), n),
        "some_clean": bool(row.get("clean")),
    }


def _clean(clean: int | None, n: int) -> str:
    """Return how many images have no errors, in percent if there are enough; empty if unknown."""
    if clean is None:
        return ""
    few = n < FEWEST_FOR_PERCENT
    return f"{f'{clean:,} of {n}' if few else f'{percent(clean / n)}%'} without errors"


def _brackets_at(place: int, brackets: Sequence[Bracket]) -> list[dict[str, Any]]:
    """Return a row's parts of brackets: `from_y` to `to_y` in percent of the row; `lane` shifts it (pixels).

    A bracket `ends` in this row if it is the first or the last.
    """
    return [
        {
            "lane": LANE * lane - LANE,
            "from_y": "50%" if place == pair.first else "0%",
            "to_y": "50%" if place == pair.last else "100%",
            "ends": place in (pair.first, pair.last),
            "near": pair.near,
        }
        for lane, pair in enumerate(brackets)
        if pair.first <= place <= pair.last
    ]


def share_of(value: float, ticks: Sequence[float]) -> str:
    """Return where a value lies on an axis with these ticks, in percent."""
    return f"{min(max(100 * (value - ticks[0]) / (ticks[-1] - ticks[0]), 0), 100):.2f}%"
