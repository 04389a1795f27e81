"""The main estimates of a finished report, read from its stored JSON, and the comparison of two reports.

Older results may lack an estimate, so every key is optional here.
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
LEVELS = {"level": "Mean score", "against_others": "Score against others"}


@dataclass(frozen=True)
class NamedEstimate:
    """A number, with its interval if the report has one."""

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
class ComparedEstimate:
    """One estimate in two reports; None if a report lacks it."""

    name: str
    before: NamedEstimate | None
    after: NamedEstimate | None

    @property
    def difference(self) -> str:
        """Return the signed difference of second minus first; a dash if one is missing."""
        return self.difference_in(3)

    def difference_in(self, places: int) -> str:
        """Return the difference with this many decimal places."""
        values = [found.value if found else None for found in (self.before, self.after)]
        if values[0] is None or values[1] is None:
            return "–"
        text = rounded(values[1] - values[0], places)
        return text if text.startswith(MINUS) or not text.strip("0.") else f"+{text}"

    @property
    def changed(self) -> bool:
        """Return whether the displayed values differ."""
        return str(self.before or "") != str(self.after or "")


def side_by_side(before: Report, after: Report) -> list[ComparedEstimate]:
    """Return every main estimate of either report, in the order of the second."""
    first, second = main_estimates(before), main_estimates(after)
    names = [*second, *(name for name in first if name not in second)]
    return [ComparedEstimate(name, first.get(name), second.get(name)) for name in names]


def main_estimates(report: Report) -> dict[str, NamedEstimate]:
    """Return the main estimates of a report by name."""
    result: Mapping[str, Any] = report.result or {}
    return dict([*_agreement(result), *_comparison(result), *_levels(result)])


def _agreement(result: Mapping[str, Any]) -> Iterator[tuple[str, NamedEstimate]]:
    pooled = result.get("pooled") or {}
    for key, words in VARIABLES.items():
        if key in pooled:
            yield f"Pooled alpha, {words}", _estimate(pooled[key], "alpha")
    mean = result.get("mean_of_pairs") or {}
    for key, words in VARIABLES.items():
        if key in mean:
            yield f"Mean alpha of pairs, {words}", _estimate(mean[key], "alpha")


def _comparison(result: Mapping[str, Any]) -> Iterator[tuple[str, NamedEstimate]]:
    for entry in result.get("generators") or []:
        yield f"Mean score, {_name(entry.get('generator'))}", _estimate(entry, "mean")
    for entry in result.get("generators") or []:
        if "image_mean" in entry:
            yield f"Mean per image, {_name(entry.get('generator'))}", _estimate(entry["image_mean"], "value")
    for entry in result.get("generator_comparisons") or []:
        names = f"{_name(entry.get('a'))} minus {_name(entry.get('b'))}"
        yield f"Difference per image, {names}", _estimate(entry.get("difference"), "value")


def _levels(result: Mapping[str, Any]) -> Iterator[tuple[str, NamedEstimate]]:
    """Yield the annotators report's estimates; annotators of a comparison have no level."""
    for entry in result.get("annotators") or []:
        for key, words in LEVELS.items():
            if key in entry:
                yield f"{words}, {_name(entry.get('annotator'))}", _estimate(entry[key], "value")


def _name(text: Any) -> str:
    return str(text or "(none)")


def _estimate(found: Any, key: str) -> NamedEstimate:
    """Read a plain number, an estimate, or an older object with the number under `key`."""
    if not isinstance(found, Mapping):
        return NamedEstimate(_number(found))
    number = found.get("value", found.get(key))
    if isinstance(number, Mapping):
        return _estimate(number, "value")
    return NamedEstimate(_number(number), _number(found.get("low")), _number(found.get("high")))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
