"""The main estimates of a finished report, read from its stored JSON, and two reports side by side.

A result that was stored before a key existed lacks the estimate; nothing here assumes that one is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analysis.models import Report
from analysis.tables.table import MINUS, rounded

VARIABLES = {
    "cumulative_score": "cumulative score",
    "overall_severity": "overall severity",
    "overall_severity_all_images": "overall severity over all images",
    "cells": "cells",
}
LEVELS = {"level": "Mean score", "against_others": "Score against the others’"}


@dataclass(frozen=True)
class Estimate:
    """A named number, with its interval where the report has one."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        if self.low is None or self.high is None:
            return rounded(self.value, 3)
        return f"{rounded(self.value, 3)} [{rounded(self.low, 3)}, {rounded(self.high, 3)}]"


@dataclass(frozen=True)
class Comparison:
    """One estimate of two reports; None where a report does not have it."""

    name: str
    before: Estimate | None
    after: Estimate | None

    @property
    def difference(self) -> str:
        """How far the second lies from the first, signed; a dash where there is nothing to subtract."""
        return self.difference_in(3)

    def difference_in(self, places: int) -> str:
        """The difference with so many decimal places."""
        values = [found.value if found else None for found in (self.before, self.after)]
        if values[0] is None or values[1] is None:
            return "–"
        text = rounded(values[1] - values[0], places)
        return text if text.startswith(MINUS) or not text.strip("0.") else f"+{text}"

    @property
    def changed(self) -> bool:
        """Whether the two are shown as different."""
        return str(self.before or "") != str(self.after or "")


def side_by_side(before: Report, after: Report) -> list[Comparison]:
    """Return every main estimate that either report has, in the order of the second."""
    first, second = main_estimates(before), main_estimates(after)
    names = [*second, *(name for name in first if name not in second)]
    return [Comparison(name, first.get(name), second.get(name)) for name in names]


def main_estimates(report: Report) -> dict[str, Estimate]:
    """Return what a reader would quote from the report, by name."""
    result: Mapping[str, Any] = report.result or {}
    return dict([*_agreement(result), *_comparison(result), *_levels(result)])


def _agreement(result: Mapping[str, Any]) -> Iterator[tuple[str, Estimate]]:
    pooled = result.get("pooled") or {}
    for key, words in VARIABLES.items():
        if key in pooled:
            yield f"Alpha of all annotators, {words}", _estimate(pooled[key], "alpha")
    mean = result.get("mean_of_pairs") or {}
    for key, words in VARIABLES.items():
        if key in mean:
            yield f"Mean of the pairs’ alphas, {words}", _estimate(mean[key], "alpha")


def _comparison(result: Mapping[str, Any]) -> Iterator[tuple[str, Estimate]]:
    for entry in result.get("generators") or []:
        yield f"Mean score, {_name(entry.get('generator'))}", _estimate(entry, "mean")
    for entry in result.get("generators") or []:
        if "image_mean" in entry:
            yield f"Mean of images, {_name(entry.get('generator'))}", _estimate(entry["image_mean"], "value")
    for entry in result.get("generator_comparisons") or []:
        names = f"{_name(entry.get('a'))} less {_name(entry.get('b'))}"
        yield f"Difference of images, {names}", _estimate(entry.get("difference"), "value")


def _levels(result: Mapping[str, Any]) -> Iterator[tuple[str, Estimate]]:
    """The annotators report; a comparison's annotators are named alike and have no level."""
    for entry in result.get("annotators") or []:
        for key, words in LEVELS.items():
            if key in entry:
                yield f"{words}, {_name(entry.get('annotator'))}", _estimate(entry[key], "value")


def _name(text: Any) -> str:
    return str(text or "(none)")


def _estimate(found: Any, key: str) -> Estimate:
    """Read a plain number, an estimate, or an older object that keeps the number under `key`."""
    if not isinstance(found, Mapping):
        return Estimate(_number(found))
    number = found.get("value", found.get(key))
    if isinstance(number, Mapping):
        return _estimate(number, "value")
    return Estimate(_number(number), _number(found.get("low")), _number(found.get("high")))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
