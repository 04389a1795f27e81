"""The status of a report kind: shown report, running request and changes since, counted from Events."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q, QuerySet
from django.utils.dateparse import parse_datetime

from analysis.data.versions import code_version
from analysis.models import Report
from analysis.protocols.registry import numbers_of
from analysis.reports.across import others_than
from analysis.reports.stages import first_stage_of
from analysis.reports.stored import newest, newest_done
from annotator.annotations.adjudication import VERBS as ADJUDICATING
from annotator.models import Annotation, Assignment, Event, Job, Project
from annotator.models.counting import is_work
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.records.image_deletion import IMAGE_DELETED
from annotator.work.leases import UNDER_WAY
from annotator.work.waiting import Wait, queued_wait

BRINGS_AN_ANSWER = ("submitted", "imported")
WORK: Final = is_work("assignment__")
LOOKED_AT: Final = Q(
    assignment__purpose__in=(Assignment.Purpose.WORK, Assignment.Purpose.ANCHOR, Assignment.Purpose.REPEAT)
) & ~Q(verb="imported")
"""Events of what the quality report looks at: imported annotations are not watched."""


@dataclass(frozen=True)
class Changes:
    """Numbers of `new`, resubmitted (`changed`) and `reopened` annotations, and more.

    `deleted` annotations went with their image; those restored with one are new. `adjudicated` are images
    whose adjudicated value has changed.
    """

    new: int = 0
    changed: int = 0
    reopened: int = 0
    deleted: int = 0
    adjudicated: int = 0

    def __add__(self, other: Changes) -> Changes:
        """Return the sum of both changes."""
        return Changes(*(count + more for count, more in zip(astuple(self), astuple(other), strict=True)))

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.reopened or self.deleted or self.adjudicated)


def changes_since(
    project: Project | int,
    moment: datetime,
    *,
    adjudicated: bool = False,
    protocol: str = DEFAULT_PROTOCOL,
    looked_at: Q = WORK,
) -> Changes:
    """Return how the annotations that count differ from those at the moment; four queries.

    With `adjudicated`, one more query counts images whose adjudicated value has changed. `looked_at` is a
    filter of Events for what counts, by default work.
    """
    events = Event.objects.filter(
        looked_at,
        project=project,
        created_at__gt=moment,
        assignment__batch__protocol=protocol,
    )
    were_there = _left_since(events, moment)
    brought = events.filter(verb__in=BRINGS_AN_ANSWER).values("assignment")
    submitted = Annotation.objects.filter(status=Annotation.Status.SUBMITTED)
    now_there = submitted.filter(assignment__in=brought, submitted_at__gt=moment).count()
    changed = submitted.filter(assignment__in=were_there).count() if were_there else 0
    return Changes(
        new=now_there - changed,
        changed=changed,
        reopened=len(were_there) - changed,
        deleted=_gone_with_images(project, moment, protocol),
        adjudicated=_adjudicated_since(project, moment, protocol) if adjudicated else 0,
    )


def _adjudicated_since(project: Project | int, moment: datetime, protocol: str) -> int:
    acts = Event.objects.filter(
        project=project, created_at__gt=moment, verb__in=ADJUDICATING, data__protocol=protocol
    )
    return acts.order_by().values("data__image").distinct().count()


def _gone_with_images(project: Project | int, moment: datetime, protocol: str) -> int:
    """Return how many annotations under a protocol went with images deleted since."""
    deleted = Event.objects.filter(project=project, created_at__gt=moment, verb=IMAGE_DELETED)
    return sum(counts.get(protocol, 0) for counts in deleted.values_list("data__by_protocol", flat=True))


def _left_since(events: QuerySet[Event], moment: datetime) -> set[int]:
    """Return the assignments whose annotation counted at the moment and was reopened after it."""
    left = events.filter(data__replaced__status=Annotation.Status.SUBMITTED)
    rows = left.values_list("assignment", "data__replaced__submitted_at")
    return {assignment for assignment, text in rows if _before(text, moment)}


def _before(text: str | None, moment: datetime) -> bool:
    submitted = parse_datetime(text) if text else None
    return submitted is not None and submitted <= moment


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
    began = (shown.checked_at or shown.started_at) if shown else None
    return ReportStatus(
        kind=kind,
        title=Report.Kind(kind).label,
        shown=shown,
        latest=latest,
        changes=_changes(project, kind, protocol, began) if began else Changes(),
        wait=queued_wait(latest, Q(), "report") if latest and latest.status in UNDER_WAY else None,
        other_code=shown is not None and shown.code_version not in ("", code_version()),
    )


def reports_awaited(job: Job) -> str:
    """Return which reports are computed before a job can write them, as a sentence; empty if none.

    Reports are computed before anything is written, so a job with progress awaits none.
    """
    if job.progress:
        return ""
    under_way = Report.objects.filter(project=job.project_id, status__in=UNDER_WAY).order_by("pk")
    waiting = list(under_way.defer("result")[:_MOST_NAMED])
    if not waiting:
        return ""
    running = [
        f"{row.get_kind_display()} {row.progress}%" for row in waiting if row.status == Report.Status.RUNNING
    ]
    said = f" ({', '.join(running)})" if running else ""
    return f"Waiting for {len(waiting)} report{'' if len(waiting) == 1 else 's'} to be computed first{said}."


def _changes(project: Project, kind: str, protocol: str, began: datetime) -> Changes:
    adjudicated = kind in (*numbers_of(protocol).using_adjudicated, Report.Kind.SUGGESTIONS)
    looked_at = LOOKED_AT if kind == Report.Kind.QUALITY else WORK
    own = changes_since(project, began, adjudicated=adjudicated, protocol=protocol, looked_at=looked_at)
    if kind == Report.Kind.STAGES:
        first = first_stage_of(project, protocol)
        others = [] if first is None else [first]
    else:
        others = others_than(project, protocol) if kind == Report.Kind.ACROSS else []
    return sum((changes_since(project, began, protocol=other) for other in others), own)
