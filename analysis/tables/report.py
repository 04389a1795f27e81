"""The tables of a finished report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.models import Report
from analysis.tables.agreement import agreement_tables
from analysis.tables.annotators import annotator_tables
from analysis.tables.comparison import comparison_tables
from analysis.tables.earlier import earlier_agreement_tables
from analysis.tables.table import Table
from annotator.models import Project


def report_tables(report: Report, project: Project) -> list[Table]:
    """Return the tables of a project's report that is done; raises ValueError where it has no result."""
    if report.result is None:
        raise ValueError(f"{report} has no result")
    if report.kind == Report.Kind.AGREEMENT:
        stored_before = "by" not in report.result
        return (earlier_agreement_tables if stored_before else agreement_tables)(report.result)
    if report.kind == Report.Kind.ANNOTATORS:
        return annotator_tables(report.result)
    return comparison_tables(report.result, weights_of(report.result, project))


def weights_of(result: Mapping[str, Any], project: Project) -> dict[str, float]:
    """Return the weights by severity that a result was made with.

    Only one that was stored before results named them falls back on the project's present ones.
    """
    named: dict[str, float] | None = result.get("settings", {}).get("weights")
    return named or {severity: float(weight) for severity, weight in project.exact_weights.items()}
