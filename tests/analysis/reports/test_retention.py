"""Which reports go, and which stay for ever."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import THINNED_AFTER, thin_out
from analysis.tasks import nightly_reports
from annotator.models import Project
from tests.factories import make_project

pytestmark = pytest.mark.django_db

OLD = THINNED_AFTER + timedelta(hours=1)
YOUNG = THINNED_AFTER - timedelta(hours=1)


def made(project: Project, age: timedelta, status: str = "done", **fields: Any) -> int:
    moment = timezone.now() - age
    result = {"rows": 1} if status == "done" else None
    row = {"kind": "agreement", "started_at": moment, "finished_at": moment, "result": result}
    return Report.objects.create(project=project, status=status, **{**row, **fields}).pk


def test_what_nobody_asked_for_goes_after_a_week() -> None:
    project, other = make_project(), make_project()
    gone = [made(project, OLD), made(project, OLD, "failed"), made(project, OLD, "cancelled")]
    stay = [
        made(project, OLD, kept=True),
        made(project, YOUNG),
        made(project, OLD, kind="comparison"),  # the newest of its kind, however old
        made(other, OLD),
        made(project, YOUNG, "failed"),
        made(project, OLD, "queued", finished_at=None),
    ]
    assert thin_out() == len(gone)
    assert set(Report.objects.values_list("pk", flat=True)) == set(stay)
    assert thin_out() == 0


def test_the_newest_finished_one_stays_though_a_later_one_failed() -> None:
    project = make_project()
    newest = made(project, OLD)
    made(project, OLD, "failed")
    assert thin_out() == 1
    assert Report.objects.get().pk == newest


def test_the_nightly_task_thins_out() -> None:
    project = make_project()
    made(project, OLD)
    newest = made(project, OLD)
    nightly_reports()
    assert Report.objects.get().pk == newest
