"""Celery tasks of the analysis package: each takes ids, calls one service, and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from analysis import reports


@shared_task(name="analysis.tasks.run_report")
def run_report(report_id: int) -> None:
    """Compute one report, unless somebody else is at it or has done it."""
    reports.run_report(report_id)


@shared_task(name="analysis.tasks.sweep_reports")
def sweep_reports() -> None:
    """Send again the reports nobody delivered and those whose worker died."""
    reports.sweep_reports()
