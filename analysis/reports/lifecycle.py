"""Reports: computed once per request, even if messages are lost or workers die.

The row is the truth. `request_report` writes it and sends a wake-up after the commit; `sweep_reports` resends
lost ones. `run_report` may be called any number of times for one row: only one call computes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from analysis.data.conduct import conduct_of
from analysis.data.metrics import load_metrics
from analysis.data.ratings_table import Digests, shown_from
from analysis.data.slices import load_slices
from analysis.data.versions import code_version, program_version
from analysis.models import Report
from analysis.protocols.interface import Compute
from analysis.protocols.registry import numbers_of
from analysis.reports.across import across_digest, across_result
from analysis.reports.batch_runs import Input, claimed
from analysis.reports.data_sets import data_set_digest, data_set_result
from analysis.reports.quality import quality_input
from analysis.reports.stages import named_protocol, stages_digest, stages_result
from analysis.reports.stored import newest, newest_done
from analysis.reports.storing import excerpt_in, other_overlap
from analysis.reports.suggestions import suggestions_digest, suggestions_result
from annotator.data_sets.settings import invalid_from_of
from annotator.database.transactions import write_transaction
from annotator.models import Project, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.work import leases
from annotator.work.execution import carry_out
from annotator.work.leases import UNDER_WAY, Steps, sweep, wake
from annotator.work.sending import TaskName
from scoring.protocol import INVALID_FROM

RUN_REPORT: Final = TaskName("analysis.tasks.run_report")
# Kinds that read more than the annotations of one protocol: their digest and their result.
SEVERAL_PROTOCOLS: Final = {
    Report.Kind.STAGES.value: (stages_digest, stages_result),
    Report.Kind.ACROSS.value: (across_digest, across_result),
    Report.Kind.DATA_SET.value: (data_set_digest, data_set_result),
    Report.Kind.SUGGESTIONS.value: (suggestions_digest, suggestions_result),
}


def request_report(
    *,
    project: Project,
    kind: str,
    protocol: str = DEFAULT_PROTOCOL,
    actor: User | None = None,
    settings: Mapping[str, Any] | None = None,
    send: bool = True,
) -> Report:
    """Return the active report, or a new queued one.

    `settings` default to those of the newest report; a running report keeps its own. The worker checks
    whether anything has changed. `send=False` sends no wake-up, for callers that compute in their own
    process.
    """
    if settings is None:
        before = newest(project, kind, protocol)
        settings = before.settings if before else {}
    report = queue_report(
        project_id=project.pk,
        kind=kind,
        protocol=protocol,
        actor=actor,
        settings=settings,
        send=send,
    )
    if report.settings != settings:
        Report.objects.filter(pk=report.pk, status=Report.Status.QUEUED).update(settings=settings)
        report.refresh_from_db(fields=["settings"])
    return report


def queue_report(
    *,
    project_id: int,
    kind: str,
    protocol: str = DEFAULT_PROTOCOL,
    actor: User | None = None,
    settings: Mapping[str, Any] | None = None,
    send: bool = True,
) -> Report:
    """Return the active report, or a new one; send the wake-up after the commit."""
    while True:
        current = Report.objects.filter(
            project=project_id, kind=kind, protocol=protocol, status__in=UNDER_WAY
        ).first()
        if current:
            return current
        try:
            # The savepoint lets a caller's transaction survive a lost race.
            with write_transaction(), transaction.atomic():
                report = Report.objects.create(
                    project_id=project_id,
                    kind=kind,
                    protocol=protocol,
                    requested_by=actor,
                    settings=dict(settings or {}),
                )
        except IntegrityError:
            if not Project.objects.filter(pk=project_id).exists():
                raise
            continue  # another request was first; its row or result exists now
        if send:
            transaction.on_commit(partial(send_wake_up, report.pk))
        return report


def digest_now(report: Report, digests: Digests) -> str:
    """Return the digest of what a report would be computed from now; `digests` are those of its protocol.

    Raise WorkRefused if it could not be computed.
    """
    several = SEVERAL_PROTOCOLS.get(report.kind)
    return several[0](report) if several else digests.of(report.kind)


def cancel_report(report: Report) -> bool:
    """Cancel an unfinished report; its worker stops at the next step."""
    return leases.cancel(Report, report.pk)


def send_wake_up(report_id: int) -> bool:
    """Wake a worker for a report; return False if the broker is down and the sweep must resend."""
    return wake(Report, report_id, RUN_REPORT)


def sweep_reports() -> list[int]:
    """Send wake-ups for reports that are undelivered or abandoned by a worker."""
    return sweep(Report, RUN_REPORT)


def run_report(report_id: int, told: Callable[[int, int], None] | None = None) -> bool:
    """Compute a report that no worker holds; return whether this call finished it.

    `told` receives its progress. The project's other waiting reports are computed in the same batch run. If
    nothing has changed since the last report, the row is deleted and the last report marked as checked.
    """
    _import_numbers(report_id)
    read = Input()
    with claimed(report_id) as claims:
        ended = [
            carry_out(Report, claim, partial(_computed, read, told if claim.pk == report_id else None))
            for claim in claims
        ]
    return any(ended[:1])


def _import_numbers(report_id: int) -> None:
    """Import what the reports of a protocol compute with, before their time is taken: they rest by it."""
    # What is wrong is said once the report is claimed.
    with suppress(Exception):
        numbers = numbers_of(Report.objects.values_list("protocol", flat=True).get(pk=report_id))
        for kind in numbers.computations:
            numbers.computation(kind)


Made = Callable[[Steps], tuple[dict[str, Any], int]]


def _computed(
    read: Input, told: Callable[[int, int], None] | None, report: Report, steps: Steps
) -> dict[str, Any] | None:
    """Return the result and related fields; None if the last report is still current."""
    steps.told = told
    digest, read_at, make = _input(read, report)
    steps.store(progress=5, input_digest=digest, code_version=code_version(), checked_at=read_at)
    last = newest_done(report.project, report.kind, report.protocol)
    if last and last.input_digest == digest:
        _still_holds(last, report, read_at)
        return None
    made, annotations = make(steps)
    # Fail on values that JSON cannot hold (NaN, numpy types) before they reach the database.
    about = {"protocol": named_protocol(report.protocol), "program": program_version()}
    result = json.loads(json.dumps(about | made, allow_nan=False))
    excerpt = excerpt_in(report.kind, result, report.protocol)
    return {"result": result, "excerpt": excerpt, "annotations": annotations}


def _input(read: Input, report: Report) -> tuple[str, datetime, Made]:
    """Return the digest of a report's input, when it was read, and what computes the report from it."""
    # Others of the run may have been computed first, so that the report's start would say less.
    now = timezone.now()
    if report.kind in SEVERAL_PROTOCOLS:
        digest_of, result_of = SEVERAL_PROTOCOLS[report.kind]
        return digest_of(report), now, lambda steps: result_of(report, steps.between(50, 99))
    if report.kind == Report.Kind.QUALITY:
        quality = quality_input(report.project, report.protocol)
        return quality.digest, now, lambda _: (quality.result(), quality.annotations)
    return read.digest_of(report), read.read_at, partial(_everyday, read, report)


def _everyday(read: Input, report: Report, steps: Steps) -> tuple[dict[str, Any], int]:
    """Compute a report on one protocol's annotations; return its result and their number."""
    frame, counting = read.frame_of(report.project, steps)
    steps.store(progress=50, annotations=len(frame))
    uses = report.kind in numbers_of(report.protocol).using_adjudicated
    adjudicated = read.adjudications_of(report.project) if uses else {}
    more: dict[str, Any] = {"adjudicated": adjudicated} if adjudicated else {}
    if report.kind == Report.Kind.COMPARISON:
        slices = load_slices(report.project, shown_from(report.project_id, report.protocol))
        outside = {"metrics": load_metrics(report.project), **slices}
        more |= {name: given for name, given in outside.items() if given}
    compute = computation(report.kind, report.protocol)
    computed = compute(frame, steps.between(50, 90), **more)
    other = other_overlap(report.kind, frame, partial(compute, steps=steps.between(90, 99), **more))
    about: dict[str, Any] = {"protocol": _protocol(report), "answers": counting.as_json()}
    if report.kind == Report.Kind.COMPARISON:
        about["conduct"] = conduct_of(report.project, shown_from(report.project_id, report.protocol))
    return {**about, **computed, **other}, len(frame)


def _protocol(report: Report) -> dict[str, Any]:
    """Return what an everyday result says of its protocol."""
    slug, source = report.protocol, shown_from(report.project_id, report.protocol)
    named: dict[str, Any] = named_protocol(slug)
    invalid_from = invalid_from_of(report.project, slug)
    if invalid_from != INVALID_FROM:
        named["invalid_from"] = invalid_from
    return named | ({"shown_from": source} if source != slug else {})


def _still_holds(last: Report, request: Report, read_at: datetime) -> None:
    """Store in the current report that its input was read again, and delete the request."""
    with write_transaction():
        current = Report.objects.select_for_update().filter(pk=request.pk, status=Report.Status.RUNNING)
        asked = current.filter(attempts=request.attempts).first()
        if asked is None:
            return
        Report.objects.filter(pk=last.pk).update(checked_at=read_at)
        asked.delete()


def computation(kind: str, protocol: str = DEFAULT_PROTOCOL) -> Compute:
    """Return the function that computes a kind of report; this imports the numeric stack."""
    return numbers_of(protocol).computation(kind)


# Pages that are open refer to the report they show.
THINNED_AFTER: Final = timedelta(days=1)


def thin_out() -> int:
    """Delete all but the newest finished report of each kind and protocol; return how many."""
    done = Report.objects.filter(status=Report.Status.DONE)
    newest = done.order_by().values("project", "kind", "protocol").annotate(newest=Max("pk")).values("newest")
    old = Report.objects.filter(finished_at__lt=timezone.now() - THINNED_AFTER)
    removed, _ = old.exclude(status__in=UNDER_WAY).exclude(pk__in=newest).delete()
    return removed
