"""The life of a report: asked once, computed once with what waits together, healed after anything."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from analysis.data import ratings_table
from analysis.data.ratings_table import load_counted
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.protocols.interface import Compute, Numbers
from analysis.reports import batch_runs, lifecycle
from analysis.reports.lifecycle import cancel_report, queue_report, request_report, run_report
from analysis.stats.generic.tables import rows_of
from annotator.models import Annotation, Project
from annotator.work import leases
from tests.factories import make_project


def compute_with(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let `act` happen in the middle of every computation, which counts the annotations."""

    def compute(frame: Any, steps: Any) -> dict[str, Any]:
        act()
        return {"rows": len(frame), "tables": []}

    monkeypatch.setattr(lifecycle, "computation", lambda *_: compute)


def expire(report: Report) -> None:
    Report.objects.filter(pk=report.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


pytestmark = pytest.mark.django_db

AGREEMENT = Report.Kind.AGREEMENT.value
COMPARISON = Report.Kind.COMPARISON.value


def test_a_request_while_one_is_under_way_returns_that_one(project: Project, sent: list[int]) -> None:
    first = request_report(project=project, kind=AGREEMENT)
    assert request_report(project=project, kind=AGREEMENT) == first
    assert request_report(project=project, kind=COMPARISON) != first
    leases.claim(Report, first.pk)
    assert request_report(project=project, kind=AGREEMENT) == first


def test_running_stores_the_result(project: Project, sent: list[int]) -> None:
    report = request_report(project=project, kind=COMPARISON)
    assert run_report(report.pk) is True
    report.refresh_from_db()
    assert (report.status, report.progress, report.attempts, report.annotations) == ("done", 100, 1, 7)
    assert (report.lease_until, report.error) == (None, "")
    assert report.started_at is not None
    assert report.finished_at is not None
    assert len(report.input_digest) == 64
    assert len(report.code_version) == 16
    assert report.result is not None
    assert [(entry["generator"], entry["annotations"]) for entry in rows_of(report.result, "generators")] == [
        ("alpha", 4),
        ("beta", 3),
    ]


def test_what_a_worker_imports_first_is_no_part_of_its_time(
    project: Project, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    report, before = request_report(project=project, kind=AGREEMENT), list[str]()
    of_kind = Numbers.computation

    def computation(self: Numbers, kind: str) -> Compute:
        before.append(Report.objects.values_list("status", flat=True).get(pk=report.pk))
        return of_kind(self, kind)

    monkeypatch.setattr(Numbers, "computation", computation)
    run_report(report.pk)
    assert before[:2] == ["queued", "queued"]
    assert Report.objects.get(pk=report.pk).status == "done"


def test_unchanged_input_is_not_computed_again(
    project: Project, sent: list[int], computed: list[str]
) -> None:
    report = request_report(project=project, kind=AGREEMENT)
    run_report(report.pk)
    again = request_report(project=project, kind=AGREEMENT)
    assert again != report
    assert run_report(again.pk) is True
    (left,) = Report.objects.all()
    assert left == report
    assert left.checked_at is not None
    assert computed == [AGREEMENT]


@pytest.mark.parametrize("change", ["answer", "weights", "image", "annotator"])
def test_changed_input_is_computed_again(
    project: Project, sent: list[int], computed: list[str], change: str
) -> None:
    report = request_report(project=project, kind=AGREEMENT)
    run_report(report.pk)
    member = project.memberships.get(code="anno1")
    if change == "answer":
        Annotation.objects.filter(assignment__annotator=member).update(version=2)
    elif change == "weights":
        Project.objects.update(weights={"a": "0.1", "b": "0.5", "c": "1"})
    elif change == "image":
        project.images.filter(generator="beta").update(generator="gamma")
    else:
        project.memberships.filter(pk=member.pk).update(code="ann")
    project.refresh_from_db()
    again = request_report(project=project, kind=AGREEMENT)
    assert again != report
    run_report(again.pk)
    assert computed == [AGREEMENT, AGREEMENT]


KINDS = list(KEPT_UP_TO_DATE)


@pytest.fixture
def together(project: Project, sent: list[int]) -> list[Report]:
    """One report of each kind, which wait together."""
    return [queue_report(project_id=project.pk, kind=kind, send=False) for kind in KINDS]


def statuses() -> dict[str, str]:
    return dict(Report.objects.order_by("pk").values_list("kind", "status"))


def test_what_waits_together_is_computed_at_once(together: list[Report], computed: list[str]) -> None:
    assert [run_report(report.pk) for report in together] == [True, False]
    assert computed == KINDS
    assert statuses() == dict.fromkeys(KINDS, "done")
    assert set(Report.objects.values_list("attempts", "annotations", "lease_until")) == {(1, 7, None)}


def test_what_is_of_another_project_waits(together: list[Report]) -> None:
    Report.objects.filter(kind="comparison").update(project=make_project())
    assert run_report(together[0].pk)
    assert statuses() == {"agreement": "done", "comparison": "queued"}


@pytest.mark.thorough
def test_what_stopped_a_worker_goes_alone(together: list[Report], computed: list[str]) -> None:
    leases.claim(Report, together[0].pk)
    expire(together[0])
    assert run_report(together[1].pk)
    assert computed == ["comparison"]
    assert run_report(together[0].pk)
    assert computed == ["comparison", "agreement"]
    Report.objects.filter(pk=together[0].pk).update(status="queued", attempts=1)
    Report.objects.filter(pk=together[1].pk).update(status="queued", attempts=0)
    assert run_report(together[0].pk)
    assert statuses()["comparison"] == "queued"


def test_an_error_of_one_is_not_that_of_the_others(
    together: list[Report], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = lifecycle.computation

    def choosing(kind: str, protocol: str) -> Callable[..., Any]:
        if kind == "agreement":
            raise ZeroDivisionError
        return real(kind, protocol)

    monkeypatch.setattr(lifecycle, "computation", choosing)
    assert run_report(together[0].pk)
    assert statuses() == {"agreement": "failed", "comparison": "done"}
    assert "ZeroDivisionError" in caplog.text


def test_one_that_is_cancelled_while_it_waits_is_not_computed(
    together: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def act() -> None:
        seen.append("one")
        cancel_report(together[1])

    compute_with(monkeypatch, act)
    assert run_report(together[0].pk)
    assert len(seen) == 1
    assert statuses() == {"agreement": "done", "comparison": "cancelled"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_cancelled_computation_ends_at_its_next_section(
    project: Project, sent: list[int], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(leases, "STORE_EVERY_SECONDS", 0.0)
    report = request_report(project=project, kind=kind)
    real, heard = lifecycle.computation, []

    def interrupted(kind: str, protocol: str) -> Callable[..., Any]:
        def compute(frame: Any, steps: Callable[[int, int], None]) -> Any:
            def listening(done: int, total: int) -> None:
                heard.append(done / total)
                if len(heard) == 2:
                    cancel_report(report)
                steps(done, total)

            return real(kind, protocol)(frame, listening)

        return compute

    monkeypatch.setattr(lifecycle, "computation", interrupted)
    assert run_report(report.pk) is False
    report.refresh_from_db()
    assert (report.status, report.result, len(heard)) == ("cancelled", None, 2)
    assert 50 <= report.progress < 99


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
