"""Celery tasks of the analysis package: each takes ids, calls one service and can safely run twice."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.conf import settings

from analysis.exports.files import remove_old
from analysis.reports import expected, lifecycle


@shared_task(name=lifecycle.RUN_REPORT)
def run_report(report_id: int) -> None:
    """Compute one report unless another worker does or did."""
    lifecycle.run_report(report_id)


@shared_task(name="analysis.tasks.sweep_reports")
def sweep_reports() -> None:
    """Request the reports of what has changed; resend those undelivered or whose worker died."""
    expected.request_changed()
    lifecycle.sweep_reports()


@shared_task(name="analysis.tasks.nightly_reports")
def nightly_reports() -> None:
    """Request all reports again, and delete reports that are no longer needed."""
    expected.request_nightly()
    lifecycle.thin_out()


@shared_task(name="analysis.tasks.sweep_exports")
def sweep_exports() -> None:
    """Delete expired export files."""
    remove_old(timedelta(days=settings.EXPORT_DAYS))
