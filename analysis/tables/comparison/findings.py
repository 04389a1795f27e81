"""Findings of a comparison as sentences, including inconclusive ones: the generators first."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.tables.comparison.finding import LEVEL, Finding, Result, is_clear
from analysis.tables.comparison.generator_findings import pair_findings
from analysis.tables.comparison.other_findings import group_findings, interaction_findings

__all__ = ["LEVEL", "Finding", "findings", "is_clear"]


def findings(result: Result) -> list[Finding]:
    """Return the findings of a comparison report."""
    return [
        *_balance(result),
        *pair_findings(result),
        *interaction_findings(result),
        *group_findings(result),
    ]


def _balance(result: Result) -> Iterator[Finding]:
    """Yield who judged what, if that confounds the raw differences."""
    found = result["balance"]
    if not found["balanced"]:
        yield Finding("note", found["words"])
