"""How a project's report of one kind stands: what is shown, what is under way, what has changed since."""

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
class Standing:
    """`shown` is the newest finished report, `latest` the newest request; they may be the same row.

    `no_worker` says that the request waits although nothing is heard of a worker; `other_code` that the
    shown numbers were computed by another version of the program.
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
        """Whether a newer report is queued or running."""
        return self.latest is not None and self.latest.status in UNDER_WAY

    @property
    def running(self) -> bool:
        """Whether a worker is at it."""
        return self.latest is not None and self.latest.status == Report.Status.RUNNING

    @property
    def held_back(self) -> bool:
        """Whether it waits for the end of a burst of submissions."""
        return self.under_way and not self.running and _in_future(self.latest)

    @property
    def rests_until(self) -> datetime | None:
        """The moment until which it waits because the last one took long; None where that is soon."""
        due = self.latest.due_at if self.latest is not None and self.held_back else None
        return due if due is not None and due > timezone.now() + LONGEST else None

    @property
    def failed(self) -> bool:
        """Whether the newest request ended in an error."""
        return self.latest is not None and self.latest.status == Report.Status.FAILED

    @property
    def cancelled(self) -> bool:
        """Whether somebody cancelled the newest request."""
        return self.latest is not None and self.latest.status == Report.Status.CANCELLED

    @property
    def stale(self) -> bool:
        """Whether the shown numbers are not what would be computed now."""
        return bool(self.changes) or self.other_code


def standing(project: Project, kind: str, protocol: str = DEFAULT_PROTOCOL) -> Standing:
    """Return how the report stands now, in seven queries at most; of two stages in thirteen."""
    shown, latest = newest_done(project, kind, protocol), newest(project, kind, protocol)
    began = shown.started_at if shown else None
    waits = latest is not None and latest.status == Report.Status.QUEUED
    return Standing(
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
