"""Several processes after one report, played by threads with connections of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from analysis.data import ratings_table
from analysis.data.ratings_table import load_counted
from analysis.models import Report
from analysis.reports import batch_runs
from analysis.reports.lifecycle import queue_report, run_report
from annotator.models import Project
from annotator.work import leases
from tests.analysis.computing import compute_with, expire

AGREEMENT = Report.Kind.AGREEMENT.value


@pytest.mark.django_db(transaction=True)
def test_the_heartbeat_holds_the_lease_while_it_computes(
    project: Project, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "RENEW_EVERY_SECONDS", 0.02)
    renewed = threading.Event()
    report = queue_report(project_id=project.pk, kind=AGREEMENT)

    def slow() -> None:
        expire(report)
        for _ in range(500):
            lease = Report.objects.values_list("lease_until", flat=True).get(pk=report.pk)
            if lease is not None and lease > timezone.now():
                renewed.set()
                return
            renewed.wait(0.01)

    compute_with(monkeypatch, slow)
    assert run_report(report.pk) is True
    assert renewed.is_set()


@pytest.mark.django_db(transaction=True)
def test_others_write_while_answers_are_read(
    project: Project, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite: a query left open would hold a snapshot over which nothing can be stored any more."""
    monkeypatch.setattr(ratings_table, "CHUNK", 2)
    monkeypatch.setattr(leases, "STORE_EVERY_SECONDS", 0.0)
    report = queue_report(project_id=project.pk, kind=AGREEMENT)
    heard: list[tuple[int, int]] = []
    real = load_counted

    def disturbed(project: Project, protocol: str, steps: Callable[[int, int], None]) -> Any:
        def listening(done: int, total: int) -> None:
            heard.append((done, total))
            elsewhere(Project.objects.filter(pk=project.pk).update, name=f"name {done}")
            steps(done, total)

        return real(project, protocol, steps=listening)

    monkeypatch.setattr(batch_runs, "load_counted", disturbed)
    assert run_report(report.pk)
    report.refresh_from_db()
    assert (report.status, report.annotations, report.error) == ("done", 7, "")
    assert heard == [(0, 7), (2, 7), (4, 7), (6, 7)]


def elsewhere(act: Callable[..., object], **arguments: object) -> None:
    """Act over a connection of its own."""

    def work() -> None:
        try:
            act(**arguments)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
