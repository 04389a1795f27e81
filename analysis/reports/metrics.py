"""Jobs that store a file of outside metrics and then request new comparisons."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.urls import reverse

from analysis.data.metrics import Metrics, read_metrics, remove_metric, store_metrics
from analysis.models import Report
from analysis.reports.lifecycle import request_report
from annotator.exchange.import_jobs import METRICS, kept_file, refusals_of_files, request_reading
from annotator.models import Job, Project, User
from annotator.projects.protocols import protocols_of
from annotator.work.jobs import Steps
from annotator.work.kinds import register


def register_kind() -> None:
    """Register the job that stores outside metrics."""
    register(METRICS, run_metrics, title="Outside metrics", reads_files=True)


def request_metrics(
    *, project: Project, name: str, contents: bytes, actor: User | None, request_key: UUID | None
) -> Job:
    """Keep a file of metrics and request a job that stores it; raises as `request_reading`."""
    return request_reading(
        project=project, name=name, contents=contents, actor=actor, request_key=request_key, kind=METRICS
    )


def run_metrics(job: Job, steps: Steps) -> dict[str, Any]:
    """Run a job with the data `file` and `name`: store all of the file, or nothing."""
    with kept_file(job) as path, refusals_of_files():
        found = read_metrics(path, job.project)
        steps(1, 2)
        count = import_metrics(job.project, found, actor=job.requested_by)
    return {
        "url": reverse("report_metrics", args=[job.project.slug]),
        "go_on": "View the metrics",
        "words": told(found, count),
    }


def import_metrics(project: Project, found: Metrics, *, actor: User | None, send: bool = True) -> int:
    """Store metrics and request the comparisons of all protocols; return the number of values."""
    count = store_metrics(project, found)
    _request_comparisons(project, actor, send=send)
    return count


def forget_metric(project: Project, metric: str, *, actor: User | None) -> int:
    """Remove a metric and request the comparisons; return how many values it had."""
    count = remove_metric(project, metric)
    if count:
        _request_comparisons(project, actor)
    return count


def told(found: Metrics, count: int) -> str:
    """Return the outcome as a sentence."""
    names = ", ".join(sorted(found))
    return f"{count:,} value{'' if count == 1 else 's'} stored of {names}."


def _request_comparisons(project: Project, actor: User | None, *, send: bool = True) -> None:
    ask = partial(request_report, project=project, kind=Report.Kind.COMPARISON, actor=actor, send=send)
    with transaction.atomic():
        for protocol in protocols_of(project):
            ask(protocol=protocol)
