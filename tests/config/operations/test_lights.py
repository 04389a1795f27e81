"""Each light, in every colour it can have."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotator.models import Event, Job
from config.operations import heartbeats, probes, starting, status
from config.operations.backups import records
from config.operations.lights import Light, State, ask
from tests.factories import LEAD, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, settings: Any) -> Path:
    settings.VAR_DIR, settings.MEDIA_ROOT, settings.REDIS_URL = tmp_path, tmp_path / "media", ""
    settings.METRICS_TOKEN = "a-token-for-this-test"
    return tmp_path


def test_everything_needed_is_there() -> None:
    assert starting.faults() == []
    assert status.ready() is True


def test_media_that_take_no_files(settings: Any, folders: Path) -> None:
    (folders / "file").write_text("")
    settings.MEDIA_ROOT = folders / "file"
    assert probes.media().state == State.BAD
    assert status.ready() is False
    assert [light.name for light in starting.faults()] == ["Media"]


def test_redis_that_does_not_answer_stops_nobody(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    settings.REDIS_URL = "redis://:hunter2@127.0.0.1:1/0"
    light = probes.redis()
    assert light.state == State.BAD
    assert "hunter2" not in light.line
    assert status.ready() is True


def test_pending_migrations_are_counted(settings: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("delete from django_migrations where app = 'analysis' and name like '0001%'")
    assert probes.migrations() == Light("Migrations", State.BAD, "1 are pending.", "Run: manage.py migrate")
    assert status.ready() is False


def test_a_database_of_a_newer_version_is_noticed() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "insert into django_migrations (app, name, applied) values ('annotator', '9999_later', %s)",
            [timezone.now()],
        )
    assert probes.migrations().words == "the database belongs to a newer version of the program."


def test_a_clock_before_what_was_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    Event.objects.create(verb="later")
    assert probes.clock().state == State.GOOD
    before = timezone.now() - timedelta(minutes=5)
    monkeypatch.setattr(timezone, "now", lambda: before)
    assert probes.clock().words == "stands before what was stored last."


def test_a_clock_that_differs_from_the_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "_database_time", lambda: timezone.now() - timedelta(seconds=90))
    assert probes.clock().words == "differs from the database's by 90 s."


def test_a_probe_that_breaks_off_is_bad() -> None:
    def broken() -> Light:
        raise RuntimeError("secret words")

    light = ask(broken, "Disk")
    assert (light.state, light.words) == (State.BAD, "could not be asked (RuntimeError).")


def test_workers_are_counted_by_their_heartbeats(folders: Path) -> None:
    assert status.workers().words == "No worker was heard of so far."
    heartbeats._last["left"] = float("-inf")
    heartbeats.leave("celery@one/../two")
    assert list(heartbeats.heard()) == ["celery@one_.._two"]
    assert status.workers().advice == "Start beat: exactly one."
    (folders / "worker-seen").touch()
    assert status.workers() == Light("Workers", State.GOOD, "1 worker alive.")


def test_what_waits_long_is_told() -> None:
    job = Job.objects.create(project=make_project(), kind="canary")
    assert status.waiting().words == "1 jobs, 0 reports, 0 pictures waiting."
    for minutes, state in ((3, State.WARN), (20, State.BAD)):
        Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=minutes))
        assert status.waiting().state == state
        assert f"the oldest for {minutes} minutes" in status.waiting().words


def test_the_last_backup(folders: Path) -> None:
    assert status.last_backup().words == "none was ever made."
    records.keep(10)
    assert status.last_backup().state == State.GOOD
    for hours, state in ((27, State.WARN), (97, State.BAD)):
        finished = time.time() - hours * 3600
        (folders / "last-backup.json").write_text(f'{{"finished": {finished}, "size": 1}}')
        assert status.last_backup().state == state


def test_a_disk_that_is_nearly_full(monkeypatch: pytest.MonkeyPatch) -> None:
    for share, state in ((0.5, State.GOOD), (0.05, State.WARN), (0.01, State.BAD)):
        monkeypatch.setattr(status, "_free", lambda _, share=share: (share, 10**9))
        assert status.disk().state == state


def test_outsiders_learn_a_word_and_no_more() -> None:
    client = Client()
    assert client.get("/health/live").content == b"alive\n"
    assert client.get("/health/ready").content == b"ready\n"
    assert client.get("/health/").status_code == 302
    client.force_login(make_user())
    assert client.get("/health/").status_code == 404
    assert b"/health/" not in client.get("/").content


def test_leads_and_operators_see_the_lights() -> None:
    for user in (make_member(make_project(), LEAD).user, make_user(is_superuser=True)):
        client = Client()
        assert user is not None
        client.force_login(user)
        page = client.get("/health/").content.decode()
        assert "Something needs you" in page
        assert "No worker was heard of so far." in page
        assert b'<a href="/health/">' in client.get("/").content


def test_figures_are_for_the_token(settings: Any) -> None:
    client = Client()
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
    answer = client.get("/metrics", headers={"Authorization": "Bearer a-token-for-this-test"})
    assert answer.status_code == 200
    text = answer.content.decode()
    assert 'anatomark_light{light="database"} 0.0' in text
    assert 'anatomark_requests_total{method="GET",status="4xx",view="metrics"}' in text
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_answers_carry_the_proxys_id_or_one_of_their_own() -> None:
    client = Client()
    given = "0123456789abcdef" * 2
    assert client.get("/health/live", headers={"X-Request-ID": given})["X-Request-ID"] == given
    own = client.get("/health/live", headers={"X-Request-ID": "<script>"})["X-Request-ID"]
    assert len(own) == 32
    assert own != given


def test_each_fault_is_a_check(settings: Any, folders: Path) -> None:
    (folders / "file").write_text("")
    settings.MEDIA_ROOT = folders / "file"
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    found = {message.id for message in run_checks(include_deployment_checks=True)}
    assert {"operations.E003", "operations.W004"} <= found
    assert not {"operations.E001", "operations.E002", "operations.W005"} & found
    assert os.environ.get("DJANGO_SETTINGS_MODULE")
