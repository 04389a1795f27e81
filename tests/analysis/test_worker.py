"""Real Celery workers: asked, killed in the middle, replaced, and beside a Redis that does not answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from celery import Celery
from django.conf import settings

from analysis.models import Report
from analysis.reports.lifecycle import queue_report
from annotator.models import Project
from annotator.work.leases import STOPPED_ITS_WORKER
from config import transport
from config.celery import app
from tests.analysis.processes import child_environment
from tests.analysis.stats.generic.making import rows_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

PATIENCE_SECONDS = 90.0


class Workers:
    """Worker processes on one queue; what is left of them is killed at the end."""

    def __init__(self, folder: Path, redis_url: str) -> None:
        self.orders = folder / "orders"
        self.orders.mkdir()
        self._folder = folder
        self._prefix = f"anatomark-test-{os.getpid()}-{folder.name}:"
        self._redis_url = redis_url
        self._running: list[subprocess.Popen[bytes]] = []

    def sender(self) -> Celery:
        """An app that puts messages where these workers look."""
        if self._redis_url:
            broker, options = self._redis_url, {"global_keyprefix": self._prefix}
        else:
            broker, options = f"{transport.ALIAS}://", transport.folder_options(self._folder / "queue")
        app = Celery("sender", broker=broker, set_as_current=False)
        app.conf.update(broker_transport_options=options, task_publish_retry=False)
        return app

    def start(self) -> subprocess.Popen[bytes]:
        """Start a worker with its sweep."""
        command = ["-m", "celery", "-A", "tests.analysis.obedient_worker", "worker", "-B"]
        options = ["--concurrency", "1", "--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
        environment = child_environment(
            VAR_DIR=str(self._folder),
            REDIS_URL=self._redis_url,
            QUEUE_PREFIX=self._prefix,
            WORKER_ORDERS=str(self.orders),
        )
        with (self._folder / "worker.log").open("ab") as log:
            worker = subprocess.Popen(
                [sys.executable, *command, *options],
                cwd=settings.BASE_DIR,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._running.append(worker)
        return worker

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """Kill the worker with its children, as a power cut does: no warning, nothing handed back."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(timeout=10)
        self._running.remove(worker)

    def end(self) -> None:
        """Kill what is left and clear the queue in Redis."""
        for worker in list(self._running):
            self.kill(worker)
        if self._redis_url:
            with redis.Redis.from_url(self._redis_url) as client:
                for key in client.scan_iter(f"{self._prefix}*"):
                    client.delete(key)

    def log(self) -> str:
        """What the workers had to say."""
        return (self._folder / "worker.log").read_text(errors="replace")


@pytest.fixture(params=["folder", pytest.param("redis", marks=pytest.mark.redis)])
def workers(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workers]:
    redis_url = reachable_redis() if request.param == "redis" else ""
    workers = Workers(tmp_path, redis_url)
    sender = workers.sender()
    monkeypatch.setattr(app, "send_task", sender.send_task)
    yield workers
    workers.end()


def reachable_redis() -> str:
    """The address of a Redis that answers; skips where there is none."""
    url = os.environ.get("REDIS_URL", "").strip()
    try:
        with redis.Redis.from_url(url or "redis://", socket_connect_timeout=2) as client:
            if not url or not client.ping():
                raise redis.ConnectionError
    except redis.RedisError:
        pytest.skip("Redis is not reachable: set REDIS_URL")
    return url


def wait_for(condition: Callable[[], object], workers: Workers) -> float:
    """Seconds until the condition holds; fails, with the workers' log, after PATIENCE_SECONDS."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > PATIENCE_SECONDS:
            states = list(Report.objects.values_list("kind", "status", "attempts", "error"))
            pytest.fail(f"still waiting; reports: {states}; the workers say:\n{workers.log()}")
        time.sleep(0.1)
    return time.monotonic() - begun


def state(work: Report) -> tuple[str, int]:
    work.refresh_from_db()
    return work.status, work.attempts


@pytest.mark.few(1)
def test_a_worker_computes_what_was_asked(project: Project, workers: Workers) -> None:
    report = queue_report(project_id=project.pk, kind="agreement")
    workers.start()
    wait_for(lambda: state(report) == ("done", 1), workers)
    assert report.annotations == 7
    assert report.result is not None
    assert rows_of(report.result, "pairs")[0]["annotators"] == ["anno1", "anno2"]
    # The worker is warm now: from asking to the stored result.
    following = queue_report(project_id=project.pk, kind="comparison")
    assert wait_for(lambda: state(following) == ("done", 1), workers) < 10


@pytest.mark.thorough
def test_a_worker_killed_in_mid_report_is_replaced(project: Project, workers: Workers) -> None:
    (workers.orders / "hold").touch()
    report = queue_report(project_id=project.pk, kind="agreement")
    first = workers.start()
    wait_for((workers.orders / "started").exists, workers)
    assert state(report) == ("running", 1)
    workers.kill(first)
    (workers.orders / "hold").unlink()
    assert state(report) == ("running", 1)
    workers.start()
    wait_for(lambda: state(report) == ("done", 2), workers)
    assert Report.objects.count() == 1
    assert report.annotations == 7


@pytest.mark.thorough
def test_a_report_that_kills_its_workers_is_given_up(project: Project, workers: Workers) -> None:
    (workers.orders / "die").touch()
    report = queue_report(project_id=project.pk, kind="agreement")
    workers.start()
    wait_for(lambda: state(report) == ("failed", 3), workers)
    assert report.error == STOPPED_ITS_WORKER
    (workers.orders / "die").unlink()
    again = queue_report(project_id=project.pk, kind="agreement")
    assert again != report
    wait_for(lambda: state(again) == ("done", 1), workers)
