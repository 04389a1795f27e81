"""A finished report for display: tables, findings and methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.models import Report
from analysis.tables.agreement.agreement import agreement_tables
from analysis.tables.agreement.findings import agreement_findings
from analysis.tables.agreement.methods import agreement_methods
from analysis.tables.exclusions import counted_tables, not_counted
from analysis.tables.finding import Finding
from analysis.tables.generic import result_findings, result_methods, result_tables
from analysis.tables.table import Table


def report_tables(report: Report) -> list[Table]:
    """Return the tables of a finished report; raise ValueError if it has no result."""
    if report.result is None:
        raise ValueError(f"{report} has no result")
    made = result_tables(report.result) if "tables" in report.result else TABLES[report.kind](report.result)
    return [*made, *counted_tables(report.result)]


TABLES: Final[Mapping[str, Callable[[Mapping[str, Any]], list[Table]]]] = {
    "agreement": agreement_tables,
}
FINDINGS: Final[Mapping[str, Callable[[Mapping[str, Any]], list[Finding]]]] = {
    "agreement": agreement_findings,
}
METHODS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "agreement": agreement_methods,
}
"""Tables, findings and methods of results that are not lists of tables, by report kind."""


def report_findings(kind: str, result: Mapping[str, Any]) -> list[Finding]:
    """Return the findings of a result, starting with what is not counted."""
    said = result_findings(result) if "tables" in result else FINDINGS[kind](result)
    return [*not_counted(result), *said]


def report_methods(kind: str, result: Mapping[str, Any]) -> str:
    """Return the methods paragraph of a result; empty for quality, which no publication has."""
    if kind == Report.Kind.QUALITY:
        return ""
    return (result_methods if "tables" in result else METHODS[kind])(result)
