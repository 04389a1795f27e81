"""Each health check in every state, the bucket included."""

from __future__ import annotations

import io
import os
import socket
import sys
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import kombu.transport
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotator.models import WorkerSeen
from annotator.work.liveness import sign_of_life
from config.env import MediaStore
from config.operations import health, prerequisites
from tests.support.object_store import CLOSED, client_of, use
from tests.support.object_store import media_store as media_store
from tests.support.object_store import object_server as object_server

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """The pages, which the first case would load for all."""
    import_module("config.urls")


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, settings: Any) -> Path:
    settings.VAR_DIR, settings.MEDIA_ROOT, settings.REDIS_URL = tmp_path, tmp_path / "media", ""
    return tmp_path


def missing() -> list[str]:
    """The names of what keeps the server from being ready; `ready` and /health/ready say the same."""
    answer = Client().get("/health/ready")
    word, *parts = answer.content.decode().splitlines()
    names = [check.name for check, fault in health.faults(health.NEEDED).items() if fault]
    assert [part for part in parts if not part.endswith(": good")] == [
        f"{name.lower()}: bad" for name in names
    ]
    assert (answer.status_code, word) == ((503, "not ready") if names else (200, "ready"))
    assert len(parts) == 6
    errors = io.StringIO()
    with pytest.raises(SystemExit, match="1") if names else nullcontext():
        call_command("ready", stdout=io.StringIO(), stderr=errors)
    lines = [line.split(":")[0] for line in errors.getvalue().splitlines()]
    assert [line for line in lines if not line.startswith("Warning")] == [
        f"Not ready. {name}" for name in names
    ]
    return names


def starting() -> list[str]:
    """What is wrong for a process that starts."""
    return [f"{check.name}: {fault}" for check, fault in health.faults(health.TO_START).items() if fault]


@pytest.fixture
def worker() -> None:
    """A worker that was seen a moment ago."""
    sign_of_life()


def test_without_a_worker_nothing_is_ready_but_processes_start(folders: Path) -> None:
    assert missing() == ["Workers"]
    assert starting() == []
    sign_of_life()
    assert missing() == []
    WorkerSeen.objects.update(at=timezone.now() - timedelta(seconds=60))
    assert missing() == ["Workers"]


@pytest.mark.parametrize(
    ("name", "check"), [("MEDIA_ROOT", "Media"), ("VAR_DIR", "Media"), ("QUEUE_DIR", "Queue")]
)
def test_a_folder_that_takes_no_files(
    settings: Any, folders: Path, worker: None, name: str, check: str
) -> None:
    (folders / "file").write_text("")
    setattr(settings, name, folders / "file")
    assert check in missing()
    assert starting()[0].startswith(f"{check}: ")
    assert check == "Queue" or name in prerequisites.media()


def test_redis_that_does_not_answer_starts_processes_but_is_not_ready(
    settings: Any, worker: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.REDIS_URL = "redis://:hunter2@127.0.0.1:1/0"
    assert missing() == ["Queue"]
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    health.require_startable("The worker")
    said = capsys.readouterr().err
    assert said.startswith("The worker continues. Queue: Redis is not responding (")
    assert "hunter2" not in said


@pytest.mark.redis
def test_redis_that_answers_and_a_port_that_does_not(
    settings: Any, worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = os.environ.get("REDIS_URL", "")
    if not url:
        pytest.skip("Redis is not reachable: set REDIS_URL")
    settings.REDIS_URL = url
    assert prerequisites.queue() == ""
    assert missing() == []
    monkeypatch.setattr(prerequisites, "CONNECT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.REDIS_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        assert missing() == ["Queue"]


def test_a_queue_without_its_library(settings: Any, worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    for module in ("kombu.transport.redis", "config.redis_transport"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.delattr(kombu.transport, "redis", raising=False)
    monkeypatch.setitem(sys.modules, "packaging", None)  # as Python does it for what is not installed
    monkeypatch.setitem(sys.modules, "packaging.version", None)
    monkeypatch.setattr("kombu.transport._transport_cache", {})
    assert "packaging" in prerequisites.libraries()
    assert missing() == ["Libraries"]
    with pytest.raises(SystemExit):
        health.require_startable("The web server")


def test_pending_migrations_are_counted(worker: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("delete from django_migrations where app = 'analysis' and name like '0001%'")
    assert prerequisites.migrations() == "1 pending. Run manage.py migrate."
    assert missing() == ["Migrations"]


def test_a_database_of_a_newer_version_is_noticed() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "insert into django_migrations (app, name, applied) values ('annotator', '9999_later', %s)",
            [timezone.now()],
        )
    assert prerequisites.migrations().startswith("the database belongs to a newer program version.")


FULL: Final = """
DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'No space left on device'; END $$
"""


def test_a_database_whose_disk_is_full_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    assert prerequisites.database() == ""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL work_mem = '64kB'")
            cursor.execute(f"EXPLAIN (ANALYZE) {prerequisites.SORTED_ON_DISK}")
            assert any("external merge  Disk:" in line for (line,) in cursor.fetchall())
        monkeypatch.setattr(prerequisites, "SORTED_ON_DISK", FULL)
    else:
        monkeypatch.setattr(prerequisites, "_refusal", lambda _: "No space left on device")
    assert prerequisites.database() == (
        "cannot store anything (No space left on device). Free space on the disk of the database."
    )
    states = Client().get("/health/ready").content.decode().splitlines()
    assert states[:3] == ["not ready", "database: bad", "migrations: bad"]


def test_a_disk_that_is_nearly_full(monkeypatch: pytest.MonkeyPatch) -> None:
    for share, words in ((0.5, ""), (0.05, "5% free (1 GB). Free space")):
        monkeypatch.setattr(health, "_free", lambda _, share=share: (share, 10**9))
        assert health.disk()[: len(words) or None] == words


@pytest.mark.usefixtures("media_store")
def test_with_a_bucket_room_is_looked_for_where_files_pass_through(monkeypatch: pytest.MonkeyPatch) -> None:
    room = {"var": 0.01}
    monkeypatch.setattr(health, "_free", lambda folder: (room[folder.name], 10**9))
    assert health.disk().startswith("1% free")


def test_answers_carry_the_proxys_id_or_one_of_their_own() -> None:
    client = Client()
    given = "0123456789abcdef" * 2
    assert client.get("/health/live", headers={"X-Request-ID": given})["X-Request-ID"] == given
    own = client.get("/health/live", headers={"X-Request-ID": "<script>"})["X-Request-ID"]
    assert len(own) == 32
    assert own != given


def test_reading_is_asked_for_every_time_and_writing_seldom(
    media_store: MediaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(media_store.endpoint)
    versions = {"Bucket": media_store.bucket, "VersioningConfiguration": {"Status": "Enabled"}}
    client.put_bucket_versioning(**versions)

    def written() -> int:
        return len(client.list_object_versions(Bucket=media_store.bucket)["Versions"])

    for _ in range(3):
        assert prerequisites.media() == ""
    assert written() == 1
    monkeypatch.setattr(prerequisites, "WRITTEN_SECONDS", -1)
    assert prerequisites.media() == ""
    assert written() == 2
    monkeypatch.undo()
    client.delete_object(Bucket=media_store.bucket, Key="team/one/partial/probe")
    assert prerequisites.media()
    assert prerequisites.media() == ""  # it writes at once where it could not read


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"bucket": "absent-bucket"}, "the object store refuses (NoSuchBucket)."),
        ({"endpoint": CLOSED}, "the object store does not respond."),
    ],
)
@pytest.mark.thorough
def test_a_bucket_that_cannot_be_used(
    media_store: MediaStore,
    settings: Any,
    capsys: pytest.CaptureFixture[str],
    changed: dict[str, str],
    words: str,
) -> None:
    assert "Media" not in missing()
    store = replace(media_store, **changed)
    use(settings, store)
    assert "Media" in missing()
    with pytest.raises(SystemExit, match="1"):
        health.require_startable("The worker")
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"The worker does not start. Media: the bucket {store.bucket} cannot be used: {words} "
        "Check the MEDIA_STORE variables and that its keys may list, put, get and delete there."
    )
