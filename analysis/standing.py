"""How a project's report of one kind stands: what is shown, what is under way, what has changed since."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from analysis.datasets import changes_since
from analysis.models import Report
from analysis.reports import newest, newest_done
from annotator.leases import UNDER_WAY
from annotator.models import Project

# After this long in the queue people are told that nobody seems to be working.
PATIENCE = timedelta(seconds=15)


@dataclass(frozen=True)
class Standing:
    """`shown` is the newest finished report, `latest` the newest request; they may be the same row."""

    kind: str
    title: str
    shown: Report | None
    latest: Report | None
    new: int
    reopened: int

    @property
    def under_way(self) -> bool:
        """Whether a newer report is queued or running."""
        return self.latest is not None and self.latest.status in UNDER_WAY

    @property
    def running(self) -> bool:
        """Whether a worker is at it."""
        return self.latest is not None and self.latest.status == Report.Status.RUNNING

    @property
    def failed(self) -> bool:
        """Whether the newest request ended in an error."""
        return self.latest is not None and self.latest.status == Report.Status.FAILED

    @property
    def no_worker(self) -> bool:
        """Whether the request has waited so long that no worker seems to be running."""
        if self.latest is None or self.latest.status != Report.Status.QUEUED:
            return False
        return timezone.now() - self.latest.created_at > PATIENCE

    @property
    def stale(self) -> bool:
        """Whether answers were submitted or reopened since the shown report."""
        return bool(self.new or self.reopened)


def standing(project: Project, kind: str) -> Standing:
    """Return how the report stands now; four queries, whatever the project holds."""
    shown = newest_done(project, kind)
    new, reopened = changes_since(project, shown.started_at) if shown and shown.started_at else (0, 0)
    return Standing(
        kind=kind,
        title=Report.Kind(kind).label,
        shown=shown,
        latest=newest(project, kind),
        new=new,
        reopened=reopened,
    )
