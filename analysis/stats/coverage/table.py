"""The simulations as a Markdown table, as docs/reference/statistics.md shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from analysis.stats.coverage.assignments import Held
from analysis.stats.coverage.interactions import ToldApart
from analysis.stats.coverage.simulation import DIFFERENCE, OF_PAIRS, Simulated, Tally

_COLUMNS: Final = {
    "score": "cumulative_score",
    "adjusted": "cumulative_score_adjusted",
    "severity": "overall_severity_all_images",
    "cells": "cells",
    "adjusted − raw": DIFFERENCE,
    "mean of pairs": OF_PAIRS,
}


def coverage_table(found: Sequence[Simulated]) -> str:
    """Return shares of intervals that contain the true value, in percent, a row for each scenario."""
    head = ["scenario", *_COLUMNS, "planner", "other annotators: over images", "over annotators too"]
    rows = [
        [
            one.scenario.name,
            *(_percent(one.these[key].coverage) for key in _COLUMNS.values()),
            _percent(one.planned),
            _both(one.others),
            _both(one.others_two_way),
        ]
        for one in found
    ]
    return markdown(head, rows)


def bias_table(found: Sequence[Simulated]) -> str:
    """Return true alphas with the mean error of their estimates, and how often leniency is concluded."""
    columns = {**_COLUMNS, "severity, shared images": "overall_severity"}
    head = ["scenario", "scores of 0", *columns, "leniency concluded"]
    rows = [
        [
            one.scenario.name,
            _percent(one.zeros),
            *(_biased(one.these[key]) for key in columns.values()),
            _percent(one.claims),
        ]
        for one in found
    ]
    return markdown(head, rows)


def assignment_table(found: Sequence[Held]) -> str:
    """Return how often raw and adjusted intervals of a difference hold, a row for each assignment."""
    head = ["images per generator", "assignment", "d", "raw (Welch)", "adjusted"]
    rows = [
        [
            str(one.assignment.images),
            one.assignment.how,
            "" if one.assignment.how == "random" else f"{one.assignment.apart:g}",
            _percent(one.raw),
            _percent(one.adjusted),
        ]
        for one in found
    ]
    return markdown(head, rows)


def interaction_table(found: Sequence[ToldApart]) -> str:
    """Return how often two equal generators are found to differ, a row for each interaction."""
    head = ["interaction, logit sd", "Welch, over images", "paired, over prompts"]
    rows = [[f"{one.interaction:g}", _percent(one.over_images), _percent(one.over_prompts)] for one in found]
    return markdown(head, rows)


def _both(tallies: Mapping[str, Tally]) -> str:
    return f"{_percent(tallies['cumulative_score'].coverage)}, {_percent(tallies['cells'].coverage)}"


def _biased(tally: Tally) -> str:
    if tally.bias is None:
        return "–"
    # Adding 0 turns a negative zero into a zero.
    truth, bias = round(tally.truth, 2) + 0.0, round(tally.bias, 2)
    return f"{truth:.2f} {f'{bias:+.2f}' if bias else '±0.00'}".replace("-", "−")


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}%"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
