"""Reports: asked for once, computed once, whatever happens to messages and workers.

The row is the truth. `request_report` writes it and sends a wake-up after the commit; a lost wake-up is
sent again by `sweep`. `run_report` may be called any number of times for one row: one call computes.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from billiard.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import KombuError

from analysis import leases
from analysis.datasets import NoAnnotations, input_digest, load_frame
from analysis.leases import Claim, Heartbeat
from analysis.models import Report
from analysis.versions import code_version
from annotator.models import Project, User
from annotator.transactions import write_transaction

if TYPE_CHECKING:
    from analysis.stats.frames import RatingsFrame

UNDER_WAY = (Report.Status.QUEUED, Report.Status.RUNNING)
# A wake-up has this long to be answered before it is sent again.
SEND_AGAIN = timedelta(seconds=20)
# A row this young may not have been sent yet by the process that made it.
YOUNG = timedelta(seconds=5)

log = logging.getLogger(__name__)


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
    from analysis.tasks import run_report as task

    try:
        task.delay(report_id)
    except (KombuError, OSError) as error:
        log.warning("Report %s stays queued: the message broker cannot be reached (%s).", report_id, error)
        return False
    Report.objects.filter(pk=report_id, status=Report.Status.QUEUED).update(
        lease_until=timezone.now() + SEND_AGAIN
    )
    return True


def sweep() -> list[int]:
    """Send again what nobody delivered or whose worker died; return the ids of the reports sent."""
    leases.free_expired()
    now = timezone.now()
    waiting = Report.objects.filter(
        Q(lease_until__isnull=True, created_at__lt=now - YOUNG) | Q(lease_until__lt=now),
        status=Report.Status.QUEUED,
    )
    # An unreachable broker costs seconds per attempt: the first failure ends the round.
    return list(takewhile(send_wake_up, waiting.order_by("pk").values_list("pk", flat=True)))


def run_report(report_id: int) -> bool:
    """Compute a report that nobody is working on; whether this call stored an ending.

    Safe to call twice, at once or again: the row decides who works. An error is stored in the row in
    plain words and logged in full.
    """
    claim = leases.claim(report_id)
    if claim is None:
        return False
    report = Report.objects.select_related("project").get(pk=report_id)
    try:
        with Heartbeat(claim):
            ended = leases.finish(claim, **_computed(report, claim))
    except NoAnnotations as error:
        ended = leases.fail(claim, _in_plain_words(error))
    except Exception as error:
        log.exception("Report %s failed.", report_id)
        ended = leases.fail(claim, _in_plain_words(error))
    if ended:
        _again_if_changed(report_id)
    return ended


def _computed(report: Report, claim: Claim) -> dict[str, Any]:
    """Return the result and what belongs to it; the last report's where its input was the same."""
    digest = input_digest(report.project)
    leases.renew(claim, progress=10, input_digest=digest, code_version=code_version())
    last = newest_done(report.project, report.kind)
    if last and last.input_digest == digest:
        return {"result": last.result, "annotations": last.annotations}
    frame = load_frame(report.project)
    leases.renew(claim, progress=40, annotations=len(frame))
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


def _in_plain_words(error: Exception) -> str:
    if isinstance(error, NoAnnotations):
        return str(error)
    if isinstance(error, SoftTimeLimitExceeded):
        return "The computation took longer than workers may take and was stopped."
    if isinstance(error, MemoryError):
        return "The worker ran out of memory."
    return (
        f"The computation ended in an error ({type(error).__name__}). The worker's log, around this time, "
        "holds the details. Refreshing tries again."
    )
