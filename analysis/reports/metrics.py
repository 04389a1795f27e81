"""Outside metrics come in and go; then comparisons are requested anew."""

from __future__ import annotations

from functools import partial
from typing import Final

from django.db import transaction

from analysis.data.metrics import Metrics, check_metrics, remove_metric, store_metrics
from analysis.models import Report
from analysis.reports.lifecycle import request_report
from annotator.exchange.image_rows import CheckedRows, RowsKind, Stored
from annotator.exchange.import_jobs import add_kind
from annotator.models import Project, User
from annotator.projects.protocols import protocols_of


def register_kind() -> None:
    """Register the rows of outside metrics."""
    add_kind(METRICS)


def store_checked(
    checked: CheckedRows[Metrics], project: Project, actor: User | None = None, _: object = None
) -> Stored:
    """Store a checked file completely, request the comparisons of all protocols, and return what happened.

    Raises StudyRefused if a row is unusable, or if another file has brought too many metrics since.
    """
    if checked.refusal is not None:
        raise checked.refusal
    count = store_metrics(project, checked.found)
    _request_comparisons(project, actor)
    names = ", ".join(sorted(checked.found))
    return Stored(f"{count:,} value{'' if count == 1 else 's'} stored of {names}.")


def forget_metric(project: Project, metric: str, *, actor: User | None) -> int:
    """Remove a metric and request the comparisons; return how many values it had."""
    count = remove_metric(project, metric)
    if count:
        _request_comparisons(project, actor)
    return count


def _request_comparisons(project: Project, actor: User | None) -> None:
    ask = partial(request_report, project=project, kind=Report.Kind.COMPARISON, actor=actor)
    with transaction.atomic():
        for protocol in protocols_of(project):
            ask(protocol=protocol)


METRICS: Final = RowsKind(
    slug="metrics",
    title="outside metrics",
    columns="One row per image and metric: metric is its name, score its value. A value of the same image "
    "and metric is replaced.",
    page="report_metrics",
    section="comparison",
    check=check_metrics,
    store=store_checked,
)
