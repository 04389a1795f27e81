"""Reports: asked for once, computed once, whatever happens to messages and workers.

The row is the truth. `request_report` writes it and sends a wake-up after the commit; a lost wake-up is
sent again by `sweep_reports`. `run_report` may be called any number of times for one row: one call computes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction

from analysis.datasets import NoAnnotations, input_digest, load_frame
from analysis.models import Report
from analysis.versions import code_version
from annotator.leases import UNDER_WAY
from annotator.models import Project, User
from annotator.steps import Steps
from annotator.transactions import write_transaction
from annotator.wake_ups import sweep, wake
from annotator.working import WorkRefused, work_on

if TYPE_CHECKING:
    from analysis.stats.frames import RatingsFrame


def newest_done(project: Project | int, kind: str) -> Report | None:
    """Return the report to show, if any was ever finished."""
    return Report.objects.filter(project=project, kind=kind, status=Report.Status.DONE).first()


def newest(project: Project | int, kind: str) -> Report | None:
    """Return the latest request, however it stands."""
    return Report.objects.filter(project=project, kind=kind).first()


def request_report(*, project: Project, kind: str, actor: User | None = None, send: bool = True) -> Report:
    """Return the report under way, the finished one where nothing has changed since, or a new queued one.

    `send=False` leaves the wake-up to the caller, who computes it in its own process.
    """
    latest = newest(project, kind)
    if latest and latest.status == Report.Status.DONE and latest.input_digest == input_digest(project):
        return latest
    return queue_report(project_id=project.pk, kind=kind, actor=actor, send=send)


def queue_report(*, project_id: int, kind: str, actor: User | None = None, send: bool = True) -> Report:
    """Return the report under way, or a new one; the wake-up leaves after the commit."""
    while True:
        current = Report.objects.filter(project=project_id, kind=kind, status__in=UNDER_WAY).first()
        if current:
            return current
        try:
            # The savepoint is what a caller's transaction survives a lost race with.
            with write_transaction(), transaction.atomic():
                report = Report.objects.create(project_id=project_id, kind=kind, requested_by=actor)
        except IntegrityError:
            if not Project.objects.filter(pk=project_id).exists():
                raise
            continue  # another request was first: its row, or its result, is there now
        if send:
            transaction.on_commit(partial(send_wake_up, report.pk))
        return report


def send_wake_up(report_id: int) -> bool:
    """Tell the workers that a report waits; False where the broker is down and the sweep has to do it."""
    return wake(Report, report_id, _deliver)


def sweep_reports() -> list[int]:
    """Send again what nobody delivered or whose worker died; return the ids of the reports sent."""
    return sweep(Report, _deliver)


def _deliver(report_id: int) -> None:
    from analysis.tasks import run_report as task

    task.delay(report_id)


def run_report(report_id: int) -> bool:
    """Compute a report that nobody is working on; whether this call stored an ending."""
    ended = work_on(Report, report_id, _computed)
    if ended:
        _again_if_changed(report_id)
    return ended


def _computed(report: Report, steps: Steps) -> dict[str, Any]:
    """Return the result and what belongs to it; the last report's where its input was the same."""
    digest = input_digest(report.project)
    steps.store(progress=10, input_digest=digest, code_version=code_version())
    last = newest_done(report.project, report.kind)
    if last and last.input_digest == digest:
        return {"result": last.result, "annotations": last.annotations}
    try:
        frame = load_frame(report.project)
    except NoAnnotations as error:
        raise WorkRefused(str(error)) from error
    steps.store(progress=40, annotations=len(frame))
    result = computation(report.kind)(frame)
    # Numbers JSON does not know (NaN, numpy's own types) end here, loudly, and never reach the database.
    return {"result": json.loads(json.dumps(result, allow_nan=False)), "annotations": len(frame)}


def _again_if_changed(report_id: int) -> None:
    """Ask for another report if answers changed meanwhile.

    Called after the ending is committed: whoever submitted before found the row running and asked for
    nothing, whoever submits later asks for a new one.
    """
    report = Report.objects.select_related("project").get(pk=report_id)
    if report.input_digest and report.input_digest != input_digest(report.project):
        queue_report(project_id=report.project_id, kind=report.kind)


def computation(kind: str) -> Callable[[RatingsFrame], Mapping[str, object]]:
    """Return the function that computes a kind of report; imports the numeric stack."""
    from analysis.stats.agreement import agreement
    from analysis.stats.comparison import comparison

    return {Report.Kind.AGREEMENT.value: agreement, Report.Kind.COMPARISON.value: comparison}[kind]
