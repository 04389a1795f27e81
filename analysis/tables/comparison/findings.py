"""Findings of a comparison as sentences, including inconclusive ones: the primary analysis first."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.tables.comparison.finding import IMAGE, LEVEL, Finding, Result, is_clear, leading
from analysis.tables.comparison.generator_findings import (
    leniency_findings,
    pair_findings,
    prompt_findings,
    row_findings,
)
from analysis.tables.comparison.other_findings import (
    group_findings,
    interaction_findings,
    scope_findings,
    weight_findings,
)
from analysis.tables.comparison.robustness import robustness_findings

__all__ = ["LEVEL", "Finding", "findings", "is_clear"]


def findings(result: Result, declared: str = "") -> list[Finding]:
    """Return the findings of a comparison report.

    `declared` is the primary analysis, `image`, `adjusted` or `mixed`, or empty; see `leading`.
    """
    first = leading(result, declared)
    return [
        *_balance(result),
        *pair_findings(result, first),
        *(pair_findings(result, IMAGE) if first != IMAGE else ()),
        *row_findings(result),
        *prompt_findings(result),
        *interaction_findings(result),
        *leniency_findings(result),
        *robustness_findings(result),
        *weight_findings(result),
        *group_findings(result),
        *scope_findings(result),
    ]


def _balance(result: Result) -> Iterator[Finding]:
    """Yield who judged what, if that confounds the raw differences."""
    found = result["balance"]
    if not found["balanced"]:
        yield Finding("note", found["words"])
