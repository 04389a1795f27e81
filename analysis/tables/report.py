"""A finished report as people read it: its tables, what was found, and how it was made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.models import Report
from analysis.tables.agreement.agreement import agreement_tables
from analysis.tables.agreement.earlier import earlier_agreement_tables
from analysis.tables.agreement.findings import agreement_findings
from analysis.tables.annotators.annotators import annotator_tables
from analysis.tables.annotators.findings import annotator_findings
from analysis.tables.annotators.methods import annotator_methods
from analysis.tables.answers import answer_tables, not_counted
from analysis.tables.comparison.comparison import comparison_tables
from analysis.tables.comparison.findings import Finding, findings
from analysis.tables.generic import result_findings, result_methods, result_tables
from analysis.tables.methods import agreement_methods, methods
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
"""What is said of results that are not lists of tables, by the kind of report."""


def report_findings(kind: str, result: Mapping[str, Any]) -> list[Finding]:
    """Return the sentences of a result: first what it does not count, then what was found."""
    said = result_findings if "tables" in result else FINDINGS[kind]
    return [*not_counted(result), *said(result)]


def report_methods(kind: str, result: Mapping[str, Any]) -> str:
    """Return the paragraph on how a result was made; empty for one that does not say."""
    return (result_methods if "tables" in result else METHODS[kind])(result)


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
