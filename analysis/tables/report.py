"""The tables of a finished report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.models import Report
from analysis.tables.agreement import agreement_tables
from analysis.tables.annotators import annotator_tables
from analysis.tables.answers import answer_tables
from analysis.tables.comparison import comparison_tables
from analysis.tables.earlier import earlier_agreement_tables
from analysis.tables.generic import result_tables
from analysis.tables.table import Table
from annotator.models import Project


def report_tables(report: Report, project: Project) -> list[Table]:
    """Return the tables of a project's report that is done; raises ValueError where it has no result."""
    if report.result is None:
        raise ValueError(f"{report} has no result")
    made = (
        result_tables(report.result)
        if "tables" in report.result
        else _tables_of(report.kind, report.result, project)
    )
    return [*made, *answer_tables(report.result)]


def _tables_of(kind: str, result: Mapping[str, Any], project: Project) -> list[Table]:
    if kind == Report.Kind.AGREEMENT:
        stored_before = "by" not in result
        return (earlier_agreement_tables if stored_before else agreement_tables)(result)
    if kind == Report.Kind.ANNOTATORS:
        return annotator_tables(result)
    return comparison_tables(result, weights_of(result, project))


def weights_of(result: Mapping[str, Any], project: Project) -> dict[str, float]:
    """Return the weights by severity that a result was made with.

    Only one that was stored before results named them falls back on the project's present ones.
    """
    named: dict[str, float] | None = result.get("settings", {}).get("weights")
    return named or {severity: float(weight) for severity, weight in project.exact_weights.items()}
