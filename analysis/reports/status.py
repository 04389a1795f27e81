"""The status of a report kind: shown report, running request and changes since."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone

from analysis.data.versions import code_version
from analysis.models import Report
from analysis.protocols.registry import numbers_of
from analysis.reports.batch_runs import due
from analysis.reports.changes import Changes, changes_since
from analysis.reports.lifecycle import LONGEST, QUIET, newest, newest_done
from analysis.reports.stages import first_stage_of
from annotator.models import Job, Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.work.leases import UNDER_WAY
from annotator.work.waiting import Wait, queued_wait

_MOST_NAMED: Final = 12


@dataclass(frozen=True)
class ReportStatus:
    """The newest finished report (`shown`) and the newest request (`latest`), maybe the same row.

    `wait` is what a queued request waits for. `other_code`: another program version computed the shown
    report.
    """

    kind: str
    title: str
    shown: Report | None
    latest: Report | None
    changes: Changes
    wait: Wait | None
    other_code: bool

    @property
    def no_worker(self) -> bool:
        """Return whether the request waits and no worker is alive."""
        return self.wait is not None and self.wait.code == "no-worker"

    @property
    def under_way(self) -> bool:
        """Return whether a newer report is queued or running."""
        return self.latest is not None and self.latest.status in UNDER_WAY

    @property
    def running(self) -> bool:
        """Return whether a worker is computing it."""
        return self.latest is not None and self.latest.status == Report.Status.RUNNING

    @property
    def held_back(self) -> bool:
        """Return whether it waits for submissions to pause."""
        return self.under_way and not self.running and _in_future(self.latest)

    @property
    def rests_until(self) -> datetime | None:
        """Return the end of the back-off after a long report; None if that is soon."""
        due = self.latest.due_at if self.latest is not None and self.held_back else None
        return due if due is not None and due > timezone.now() + LONGEST else None

    @property
    def quiet_seconds(self) -> int:
        """Return how long after the last submission a held-back report starts, in seconds."""
        return round(QUIET.total_seconds())

    @property
    def starts_by(self) -> datetime | None:
        """Return when a held-back report starts at the latest, even if submissions do not pause."""
        if self.latest is None or not self.held_back:
            return None
        return max(self.latest.created_at + LONGEST, self.latest.due_at or self.latest.created_at)

    @property
    def starts_in(self) -> int | None:
        """Return the seconds until a held-back report starts, unless more is submitted."""
        if self.latest is None or not self.held_back or self.latest.due_at is None:
            return None
        return max(1, math.ceil((self.latest.due_at - timezone.now()).total_seconds()))

    @property
    def failed(self) -> bool:
        """Return whether the newest request failed."""
        return self.latest is not None and self.latest.status == Report.Status.FAILED

    @property
    def cancelled(self) -> bool:
        """Return whether the newest request was cancelled."""
        return self.latest is not None and self.latest.status == Report.Status.CANCELLED

    @property
    def stale(self) -> bool:
        """Return whether a new report would differ from the shown one."""
        return bool(self.changes) or self.other_code


def status_of(project: Project, kind: str, protocol: str = DEFAULT_PROTOCOL) -> ReportStatus:
    """Return the status of a report, in at most eight queries, fourteen for two stages."""
    shown, latest = newest_done(project, kind, protocol), newest(project, kind, protocol)
    began = shown.started_at if shown else None
    return ReportStatus(
        kind=kind,
        title=Report.Kind(kind).label,
        shown=shown,
        latest=latest,
        changes=_changes(project, kind, protocol, began) if began else Changes(),
        wait=None if latest is None else queued_wait(latest, due(), "report"),
        other_code=shown is not None and shown.code_version not in ("", code_version()),
    )


def reports_awaited(job: Job) -> str:
    """Return which reports are computed before a job can write them, as a sentence; empty if none.

    Reports are computed before anything is written, so a job with progress awaits none.
    """
    if job.progress:
        return ""
    under_way = Report.objects.filter(project=job.project_id, status__in=UNDER_WAY).order_by("pk")
    found = list(under_way.defer("result")[:_MOST_NAMED])
    if not found:
        return ""
    running = [
        f"{row.get_kind_display()} {row.progress} %" for row in found if row.status == Report.Status.RUNNING
    ]
    said = f" ({', '.join(running)})" if running else ""
    return f"Waiting for {len(found)} report{'' if len(found) == 1 else 's'} to be computed first{said}."


def _changes(project: Project, kind: str, protocol: str, began: datetime) -> Changes:
    settled = kind in numbers_of(protocol).using_settled
    own = changes_since(project, began, settled=settled, protocol=protocol)
    first = first_stage_of(project, protocol) if kind == Report.Kind.STAGES else None
    return own if first is None else own + changes_since(project, began, protocol=first)


def _in_future(report: Report | None) -> bool:
    return report is not None and report.due_at is not None and report.due_at > timezone.now()
