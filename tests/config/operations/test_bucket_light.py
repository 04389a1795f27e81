"""The light of a bucket, in both colours, and what it does to processes that start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from config.media import MediaStore
from config.operations import prerequisites, starting, status
from config.operations.health import HealthCheck, HealthState
from tests.support.object_store import CLOSED, client_of, keys_in, use
from tests.support.object_store import media_store as media_store
from tests.support.object_store import object_server as object_server

pytestmark = pytest.mark.django_db


def test_a_bucket_that_works(media_store: MediaStore) -> None:
    words = f"the bucket {media_store.bucket} is readable and writable."
    for _ in range(2):
        assert prerequisites.media() == HealthCheck("Media", HealthState.GOOD, words)
    assert keys_in(media_store) == {"partial/probe": 1}


def test_reading_is_asked_for_every_time_and_writing_seldom(
    media_store: MediaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(media_store.endpoint)
    versions = {"Bucket": media_store.bucket, "VersioningConfiguration": {"Status": "Enabled"}}
    client.put_bucket_versioning(**versions)

    def written() -> int:
        return len(client.list_object_versions(Bucket=media_store.bucket)["Versions"])

    for _ in range(3):
        assert prerequisites.media().state == HealthState.GOOD
    assert written() == 1
    monkeypatch.setattr(prerequisites, "WRITTEN_SECONDS", -1)
    assert prerequisites.media().state == HealthState.GOOD
    assert written() == 2
    monkeypatch.undo()
    client.delete_object(Bucket=media_store.bucket, Key="team/one/partial/probe")
    assert prerequisites.media().state == HealthState.BAD
    assert prerequisites.media().state == HealthState.GOOD  # it writes at once where it could not read


def media_light() -> HealthState:
    """How media stand among what is needed."""
    return next(light.state for light in status.needed() if light.name == prerequisites.MEDIA)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"bucket": "absent-bucket"}, "the object store refuses (NoSuchBucket)."),
        ({"endpoint": CLOSED}, "the object store does not respond."),
    ],
)
def test_a_bucket_that_cannot_be_used(
    media_store: MediaStore,
    settings: Any,
    capsys: pytest.CaptureFixture[str],
    changed: dict[str, str],
    words: str,
) -> None:
    assert media_light() == HealthState.GOOD
    store = replace(media_store, **changed)
    use(settings, store)
    assert prerequisites.media().words == f"the bucket {store.bucket} cannot be used: {words}"
    assert media_light() == HealthState.BAD
    assert [light.name for light in starting.faults()] == ["Media"]
    with pytest.raises(SystemExit):
        starting.require_startable("The web server")
    (line,) = capsys.readouterr().err.strip().splitlines()[-1:]
    assert line == (
        f"The web server does not start. Media: the bucket {store.bucket} cannot be used: {words} "
        "Check the MEDIA_STORE variables and that its keys may list, put, get and delete there."
    )


@pytest.mark.usefixtures("media_store")
def test_room_is_looked_for_where_uploads_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    room = {"receiving": 0.01, "var": 0.5, "media": 0.5}
    monkeypatch.setattr(status, "_free", lambda folder: (room[folder.name], 10**9))
    assert status.disk().state == HealthState.BAD
