"""Which finished reports stay.

For ever: what somebody asked for, what stood at night, and what somebody chose to keep. The rest was
computed by itself between two nights; it goes a week later, except the newest one of its kind.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Max
from django.utils import timezone

from analysis.models import Report
from annotator.work.leases import UNDER_WAY

THINNED_AFTER = timedelta(days=7)


def keep(report: Report) -> None:
    """Keep a report for ever."""
    Report.objects.filter(pk=report.pk).update(kept=True)
    report.kept = True


def thin_out() -> int:
    """Remove the reports nobody needs any more; returns how many."""
    done = Report.objects.filter(status=Report.Status.DONE)
    newest = done.order_by().values("project", "kind").annotate(newest=Max("pk")).values("newest")
    old = Report.objects.filter(kept=False, finished_at__lt=timezone.now() - THINNED_AFTER)
    removed, _ = old.exclude(status__in=UNDER_WAY).exclude(pk__in=newest).delete()
    return removed
