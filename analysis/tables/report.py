"""A finished report for display: tables, findings and methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.models import Report
from analysis.tables.agreement.agreement import agreement_tables
from analysis.tables.agreement.earlier import earlier_agreement_tables
from analysis.tables.agreement.findings import agreement_findings
from analysis.tables.agreement.methods import agreement_methods
from analysis.tables.annotators.annotators import annotator_tables
from analysis.tables.annotators.findings import annotator_findings
from analysis.tables.annotators.methods import annotator_methods
from analysis.tables.comparison.comparison import comparison_tables
from analysis.tables.comparison.findings import Finding, findings
from analysis.tables.comparison.methods import methods
from analysis.tables.exclusions import counted_tables, not_counted
from analysis.tables.generic import result_findings, result_methods, result_tables
from analysis.tables.table import Table
from annotator.models import Project


def report_tables(report: Report, project: Project) -> list[Table]:
    """Return the tables of a finished report; raise ValueError if it has no result."""
    if report.result is None:
        raise ValueError(f"{report} has no result")
    made = (
        result_tables(report.result)
        if "tables" in report.result
        else _tables_of(report.kind, report.result, project)
    )
    return [*made, *counted_tables(report.result)]


FINDINGS: Final[Mapping[str, Callable[[Mapping[str, Any]], list[Finding]]]] = {
    "agreement": agreement_findings,
    "comparison": findings,
    "annotators": annotator_findings,
}
METHODS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "agreement": agreement_methods,
    "comparison": methods,
    "annotators": annotator_methods,
}
"""Findings and methods of results that are not lists of tables, by report kind."""


def report_findings(kind: str, result: Mapping[str, Any]) -> list[Finding]:
    """Return the findings of a result, starting with what is not counted."""
    said = result_findings(result) if "tables" in result else FINDINGS[kind](result)
    return [*not_counted(result), *said]


def report_methods(kind: str, result: Mapping[str, Any]) -> str:
    """Return the methods paragraph of a result; empty if its settings are unknown."""
    return (result_methods if "tables" in result else METHODS[kind])(result)


def _tables_of(kind: str, result: Mapping[str, Any], project: Project) -> list[Table]:
    if kind == Report.Kind.AGREEMENT:
        stored_before = "by" not in result
        return (earlier_agreement_tables if stored_before else agreement_tables)(result)
    if kind == Report.Kind.ANNOTATORS:
        return annotator_tables(result)
    return comparison_tables(result, weights_of(result, project))


def weights_of(result: Mapping[str, Any], project: Project) -> dict[str, float]:
    """Return the severity weights of a result.

    A result stored without weights falls back to the project's current ones.
    """
    named: dict[str, float] | None = result.get("settings", {}).get("weights")
    return named or {severity: float(weight) for severity, weight in project.exact_weights.items()}
