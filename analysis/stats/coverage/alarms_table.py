"""The alarms of simulated annotators as Markdown tables, as docs/reference/statistics.md shows them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import Final

from analysis.stats.coverage.alarms import Alarms
from analysis.stats.coverage.table import markdown
from analysis.stats.coverage.watched import ANCHORS, DRIFTS_AFTER

_CODES: Final = ("drift", "steps", "unstable", "hasty", "unused", "fast", "flat")


def verdict_table(found: Sequence[Alarms]) -> str:
    """Return per 100 annotators how many are to look at or to stop at the end, and for which reasons."""
    head = ["situation", "annotators", "look", "stop", *_CODES]
    rows = [
        [
            one.situation.name,
            f"{one.people:,}",
            *(_number(one.per_hundred(one.verdicts[verdict])) for verdict in ("look", "stop")),
            *(_number(one.per_hundred(one.reasons[code])) for code in _CODES),
        ]
        for one in found
    ]
    return markdown(head, rows)


def delay_table(found: Sequence[Alarms]) -> str:
    """Return drift alarms before and after a change, and the anchors until it is seen."""
    head = [
        "situation",
        f"alarm by anchor {DRIFTS_AFTER}",
        f"alarm by anchor {ANCHORS}",
        *(
            f"{share:.0%} seen within, {chart}"
            for chart in ("score", "step", "either")
            for share in (0.5, 0.9)
        ),
    ]
    rows = [
        [
            one.situation.name,
            _number(one.per_hundred(one.early)),
            _number(one.per_hundred(one.ever)),
            *(
                _within(one.seen_within(chart, share))
                for chart in ("score", "step", "either")
                for share in (0.5, 0.9)
            ),
        ]
        for one in found
    ]
    return markdown(head, rows)


def _number(value: float) -> str:
    return f"{value:.1f}"


def _within(anchors: float) -> str:
    return f"over {ANCHORS - DRIFTS_AFTER}" if isinf(anchors) else f"{anchors:.0f}"
