"""A backup does not depend on where media are: out of a folder into a bucket, and back."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings as configured

from config.env import MediaStore
from config.operations.backups.reading import verified
from config.operations.backups.writing import BackupContents
from tests.analysis.processes import child_environment, database_url
from tests.permissions.world import make_side
from tests.support.object_store import CLOSED, client_of, environment_of, keys_in, new_bucket
from tests.support.object_store import media_store as media_store
from tests.support.object_store import object_server as object_server

pytestmark = [pytest.mark.thorough, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]


def run(
    folder: Path, url: str, *words: str, store: MediaStore | None = None
) -> subprocess.CompletedProcess[str]:
    """A command of manage.py on another machine: its own database and folders, with or without a bucket."""
    environment = child_environment(
        DATABASE_URL=url,
        VAR_DIR=str(folder / "var"),
        MEDIA_ROOT=str(folder / "media"),
        UPLOAD_DIR="",
        REDIS_URL="",
        **(environment_of(store) if store else {}),
    )
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=configured.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def of_media(contents: BackupContents) -> dict[str, object]:
    """Name, size and SHA-256 of each file, uploads on their way left out."""
    return {
        name: contents.members[f"media/{name}"]
        for name in contents.media
        if not name.startswith("receiving/")
    }


@pytest.fixture
def source(media_store: MediaStore, tmp_path: Path) -> Path:
    """A backup of media in a bucket, in which a half file lies about, too."""
    make_side(1)
    client_of(media_store.endpoint).put_object(
        Bucket=media_store.bucket, Key="team/one/partial/half", Body=b"half"
    )
    made = run(tmp_path, database_url(), "backup", str(tmp_path / "one.tar"), store=media_store)
    assert made.returncode == 0, made.stderr
    return tmp_path / "one.tar"


def test_out_of_a_bucket_into_a_folder_and_into_another_bucket(
    source: Path, media_store: MediaStore, object_server: str, tmp_path: Path
) -> None:
    first = verified(source)
    sizes = {name: int(first.members[f"media/{name}"]["size"]) for name in first.media}
    assert sizes == {n: size for n, size in keys_in(media_store).items() if not n.startswith("partial/")}
    assert any(name.endswith(".png") for name in sizes)
    folder, url = tmp_path / "folder", f"sqlite:///{tmp_path / 'folder.sqlite3'}"
    restored = run(folder, url, "restore", str(source))
    assert restored.returncode == 0, restored.stderr
    assert run(folder, url, "backup", str(tmp_path / "two.tar")).returncode == 0
    second = verified(tmp_path / "two.tar")
    assert (second.tables, second.members) == (first.tables, first.members)

    receiving = folder / "media" / "receiving" / ("a" * 32) / "b" / ("c" * 32)
    receiving.parent.mkdir(parents=True)
    receiving.write_bytes(b"on its way")
    assert run(folder, url, "backup", str(tmp_path / "three.tar")).returncode == 0
    there, other = tmp_path / "there", f"sqlite:///{tmp_path / 'there.sqlite3'}"
    bucket = MediaStore(
        new_bucket(object_server),
        "",
        object_server,
        "us-east-1",
        media_store.access_key,
        media_store.secret_key,
    )
    back = run(there, other, "restore", str(tmp_path / "three.tar"), store=bucket)
    assert back.returncode == 0, back.stderr
    found = client_of(object_server).list_objects_v2(Bucket=bucket.bucket)["Contents"]
    assert {each["Key"]: each["Size"] for each in found} == sizes
    # Uploads go on where they were: on the disk.
    files = [path for path in (there / "media").rglob("*") if path.is_file()]
    assert [path.relative_to(there / "media") for path in files] == [receiving.relative_to(folder / "media")]
    assert run(there, other, "backup", str(tmp_path / "four.tar"), store=bucket).returncode == 0
    assert of_media(verified(tmp_path / "four.tar")) == of_media(first)


def test_other_objects_in_the_place_stop_it_and_so_does_a_bucket_that_is_away(
    source: Path, media_store: MediaStore, tmp_path: Path
) -> None:
    client, name = client_of(media_store.endpoint), verified(source).media[0]
    client.put_object(Bucket=media_store.bucket, Key=f"team/one/{name}", Body=b"somebody else's")
    there, url = tmp_path / "new", f"sqlite:///{tmp_path / 'new.sqlite3'}"
    refused = run(there, url, "restore", str(source), store=media_store)
    assert refused.returncode == 1
    assert f"A different file exists at {name}. Use an empty MEDIA_STORE" in refused.stderr
    assert keys_in(media_store)[name] == len(b"somebody else's")
    away = replace(media_store, endpoint=CLOSED)
    replacing = ("restore", str(source), "--replace", "--yes")
    for words in (replacing, ("backup", str(tmp_path / "none.tar"))):
        stopped = run(there, url, *words, store=away)
        assert stopped.returncode == 1
        assert "Traceback" not in stopped.stderr
    assert not (tmp_path / "none.tar").exists()
    replaced = run(there, url, *replacing, store=media_store)
    assert replaced.returncode == 0, replaced.stderr
    assert keys_in(media_store)[name] == verified(source).members[f"media/{name}"]["size"]
