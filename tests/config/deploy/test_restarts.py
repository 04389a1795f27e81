"""What was killed comes back: saving within half a minute, a new report within a minute.

Minutes of it, with clients and a ledger: `python -m benchmarks.faults`.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest
import redis

from tests.config.deploy.process_set import ORDER, ProcessSet
from tests.config.deploy.supervising import watch
from tests.config.deploy.team import Browser, eventually, newest_report

pytestmark = pytest.mark.timeout(300)

FREEZES = 2
FROZEN_SECONDS = 15.0
"""Longer than a worker waits for an acknowledgement."""
SAVING_WITHIN = 30.0
REPORT_WITHIN = 60.0
MANY_JOBS = """
from config.celery import app
for _ in range(3000):
    app.send_task("annotator.tasks.sweep_images")
"""


@pytest.fixture(scope="module")
def said(team: ProcessSet) -> Iterator[list[str]]:
    """What the supervisor says, which watches over the set meanwhile."""
    stop, lines = threading.Event(), list[str]()
    thread = threading.Thread(target=watch, args=(team, stop, lines.append))
    thread.start()
    yield lines
    stop.set()
    thread.join(30)
    for name in ORDER:  # the set is handed on as it was
        team._wait(name, team._answers.get(name, lambda: True))


@pytest.fixture(scope="module")
def annotator(team: ProcessSet) -> Browser:
    return Browser(team).sign_in("annotator-b")


@pytest.fixture(scope="module")
def lead(team: ProcessSet) -> Browser:
    return Browser(team).sign_in("lead-a")


@pytest.fixture
def broker(team: ProcessSet) -> Iterator[redis.Redis]:
    with redis.Redis(port=team.ports.redis, password=team.secret("redis_password")) as client:
        yield client


def worker_seen(team: ProcessSet) -> datetime:
    """When a worker was last alive."""
    address = f"host=127.0.0.1 port={team.ports.postgres} user=anatomark dbname=anatomark"
    with psycopg.connect(address, password=team.secret("postgres_password")) as server:
        row = server.execute("select at from annotator_workerseen").fetchone()
    return row[0] if row else datetime.min.replace(tzinfo=UTC)


def kill(team: ProcessSet, *names: str) -> None:
    """kill -9 of each one's first process, as an out-of-memory killer would; its children are left behind."""
    for name in names:
        os.kill(team.running[name].pid, signal.SIGKILL)


def save(browser: Browser, pk: int, note: str) -> int:
    """Save, as a page does that tries again; returns the version."""

    def saved() -> int:
        try:
            answer = browser.answer(pk, note=note)
        except (OSError, AssertionError):  # refused, or a page of the proxy's
            return 0
        return int(answer["version"]) if answer["http"] == 200 else 0

    return int(eventually(saved, SAVING_WITHIN))


def new_report_after_a_submission(annotator: Browser, lead: Browser, place: int) -> float:
    pk = annotator.assignments("annotator-b")[place]
    version = save(annotator, pk, "before the report")
    before, begun = newest_report(lead), time.monotonic()
    assert annotator.answer(pk, "submit", version=version, note="before the report")["http"] == 200
    eventually(lambda: newest_report(lead) not in {before, b""}, REPORT_WITHIN)
    return time.monotonic() - begun


def test_a_worker_outlives_redis(
    team: ProcessSet, said: list[str], annotator: Browser, lead: Browser
) -> None:
    worker = team.running["worker"].pid
    kill(team, "redis")
    eventually(lambda: any(line.startswith("redis ended") for line in said), 10)
    new_report_after_a_submission(annotator, lead, 0)
    assert team.running["worker"].pid == worker


def test_a_message_that_is_none_ends_the_worker_and_an_emptied_queue_loses_nothing(
    team: ProcessSet, said: list[str], annotator: Browser, lead: Browser, broker: redis.Redis
) -> None:
    worker = team.running["worker"]
    broker.lpush("anatomark:celery", "this is no message")
    eventually(lambda: worker.poll() is not None, 30)
    eventually(lambda: team.running["worker"].pid != worker.pid, 10)
    broker.flushall()
    new_report_after_a_submission(annotator, lead, 1)
    assert [line for line in said if line.startswith("worker ended")] == [
        f"worker ended with status {worker.returncode} and is being restarted."
    ]


@pytest.mark.timeout(600)
def test_a_worker_takes_jobs_again_after_redis_was_frozen(
    team: ProcessSet, annotator: Browser, lead: Browser
) -> None:
    """Jobs end while Redis does not answer, so their acknowledgements time out."""
    workers = {name: team.running[name].pid for name in ("worker", "files")}
    taken = []
    for _ in range(FREEZES):
        team.manage("shell", "--command", MANY_JOBS)
        frozen = team.running["redis"]
        frozen.send_signal(signal.SIGSTOP)
        try:
            time.sleep(FROZEN_SECONDS)
            ready = team.manage("ready", check=False).stderr
        finally:
            frozen.send_signal(signal.SIGCONT)
        assert "Not ready. Queue: Redis is not responding" in ready
        woken, begun = datetime.now(UTC), time.monotonic()
        eventually(lambda since=woken: worker_seen(team) > since, REPORT_WITHIN)
        taken.append(time.monotonic() - begun)
    print(f"Jobs were taken again after {', '.join(f'{seconds:.0f}' for seconds in taken)} s.")
    new_report_after_a_submission(annotator, lead, 4)
    assert {name: team.running[name].pid for name in workers} == workers


def test_everything_killed_at_once(
    team: ProcessSet, said: list[str], annotator: Browser, lead: Browser
) -> None:
    pk = annotator.assignments("annotator-b")[2]
    version = save(annotator, pk, "before")
    killed = {name: team.running[name].pid for name in ORDER}
    kill(team, *ORDER)
    assert save(annotator, pk, "after") == version + 1
    assert annotator.state(pk)["payload"]["note"] == "after"
    eventually(lambda: all(team.running[name].pid != pid for name, pid in killed.items()), 30)
    new_report_after_a_submission(annotator, lead, 3)
