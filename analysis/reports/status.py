"""The status of a report kind: shown report, running request and changes since."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from analysis.data.versions import code_version
from analysis.models import Report
from analysis.protocols.registry import numbers_of
from analysis.reports.changes import Changes, changes_since
from analysis.reports.lifecycle import LONGEST, newest, newest_done
from analysis.reports.stages import first_stage_of
from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.work.leases import UNDER_WAY
from annotator.work.liveness import worker_silent


@dataclass(frozen=True)
class ReportStatus:
    """The newest finished report (`shown`) and the newest request (`latest`), maybe the same row.

    `no_worker`: the request waits and no worker is alive. `other_code`: another program version computed the
    shown report.
    """

    kind: str
    title: str
    shown: Report | None
    latest: Report | None
    changes: Changes
    no_worker: bool
    other_code: bool

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
    """Return the status of a report, in at most seven queries, thirteen for two stages."""
    shown, latest = newest_done(project, kind, protocol), newest(project, kind, protocol)
    began = shown.started_at if shown else None
    waits = latest is not None and latest.status == Report.Status.QUEUED
    return ReportStatus(
        kind=kind,
        title=Report.Kind(kind).label,
        shown=shown,
        latest=latest,
        changes=_changes(project, kind, protocol, began) if began else Changes(),
        no_worker=waits and worker_silent(),
        other_code=shown is not None and shown.code_version not in ("", code_version()),
    )


def _changes(project: Project, kind: str, protocol: str, began: datetime) -> Changes:
    settled = kind in numbers_of(protocol).using_settled
    own = changes_since(project, began, settled=settled, protocol=protocol)
    first = first_stage_of(project, protocol) if kind == Report.Kind.STAGES else None
    return own if first is None else own + changes_since(project, began, protocol=first)


def _in_future(report: Report | None) -> bool:
    return report is not None and report.due_at is not None and report.due_at > timezone.now()
