"""Retention of finished reports.

Requested, nightly and kept reports are permanent. Others are deleted after a week, except the newest of its
kind.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Max
from django.utils import timezone

from analysis.models import Report
from annotator.work.leases import UNDER_WAY

THINNED_AFTER = timedelta(days=7)


def keep(report: Report) -> None:
    """Keep a report permanently."""
    Report.objects.filter(pk=report.pk).update(kept=True)
    report.kept = True


def thin_out() -> int:
    """Delete reports that are no longer needed; return how many."""
    done = Report.objects.filter(status=Report.Status.DONE)
    newest = done.order_by().values("project", "kind").annotate(newest=Max("pk")).values("newest")
    old = Report.objects.filter(kept=False, finished_at__lt=timezone.now() - THINNED_AFTER)
    removed, _ = old.exclude(status__in=UNDER_WAY).exclude(pk__in=newest).delete()
    return removed
