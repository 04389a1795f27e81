"""Backups: every row and file comes back, on either database; what is damaged is refused."""

from __future__ import annotations

import io
import os
import sqlite3
import subprocess
import sys
import tarfile
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection

from annotator.models import Event, Image, Plan
from config.operations.backups import records
from config.operations.backups.reading import verified
from config.operations.backups.writing import BackupContents, BackupRefused
from tests.analysis.processes import child_environment, database_url
from tests.permissions.world import make_side

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, settings: Any) -> Path:
    settings.VAR_DIR, settings.MEDIA_ROOT = tmp_path / "var", tmp_path / "media"
    settings.VAR_DIR.mkdir()
    return tmp_path


@pytest.fixture
def source(folders: Path) -> Path:
    """A backup of a project in which everything has happened once."""
    make_side(1)
    made = run(folders, database_url(), "backup", str(folders / "one.tar"))
    assert made.returncode == 0, made.stderr
    MADE[:] = [(folders / "one.tar").read_bytes()]
    return folders / "one.tar"


MADE: list[bytes] = []


@pytest.fixture
def some_backup(folders: Path, request: pytest.FixtureRequest) -> Path:
    """A backup of any database: one made by an earlier test, where there is one."""
    if not MADE:
        made: Path = request.getfixturevalue("source")
        return made
    (folders / "one.tar").write_bytes(MADE[0])
    return folders / "one.tar"


ADD = "from annotator.models import Event; print(Event.objects.create(verb='x').pk)"


def run(folder: Path, url: str, *words: str, told: str = "") -> subprocess.CompletedProcess[str]:
    """A command of manage.py on another machine: its own database and folders."""
    environment = child_environment(
        DATABASE_URL=url, VAR_DIR=str(folder / "var"), MEDIA_ROOT=str(folder / "media"), REDIS_URL=""
    )
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=configured.BASE_DIR,
        env=environment,
        input=told,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def other_database(folders: Path) -> Iterator[str]:
    """An empty database of the kind that this run does not use; PostgreSQL's server is the run's own."""
    if connection.vendor == "postgresql":
        yield f"sqlite:///{folders / 'other.sqlite3'}"
        return
    yield f"sqlite:///{folders / 'second.sqlite3'}"


@pytest.fixture
def new_database(folders: Path) -> Iterator[str]:
    """An empty database of this run's kind."""
    if connection.vendor != "postgresql":
        yield f"sqlite:///{folders / 'new.sqlite3'}"
        return
    name = f"restored_{uuid.uuid4().hex[:12]}"
    with connection.cursor() as cursor:
        cursor.execute(f"create database {name}")
    yield f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"
    with connection.cursor() as cursor:
        cursor.execute(f"drop database {name} with (force)")


def since(file: Path) -> int:
    """How many events a database of SQLite holds that only it can have."""
    with closing(sqlite3.connect(file)) as restored:
        found: tuple[int] = restored.execute(
            "select count(*) from annotator_event where verb = 'since'"
        ).fetchone()
    return found[0]


def same(one: BackupContents, two: BackupContents) -> None:
    """Both hold the same rows and files, byte by byte."""
    assert one.tables == two.tables
    assert one.members == two.members


@pytest.mark.thorough
def test_everything_comes_back_through_either_database(
    source: Path, folders: Path, other_database: str, new_database: str
) -> None:
    first = verified(source)
    assert first.tables["annotator.event"]["rows"] == Event.objects.count() > 0
    assert first.tables["annotator.plan"]["rows"] == Plan.objects.count() > 0
    assert first.missing == []
    assert {image.file.name for image in Image.objects.all()} <= set(first.media)
    assert "sessions.session" not in first.tables
    before = source
    for name, url in (("other", other_database), ("new", new_database)):
        there = folders / name
        restored = run(there, url, "restore", str(before))
        assert restored.returncode == 0, restored.stderr
        before = folders / f"{name}.tar"
        made = run(there, url, "backup", str(before))
        assert made.returncode == 0, made.stderr
        same(verified(before), first)
        added = run(
            there,
            url,
            "shell",
            "-c",
            ADD,
        )
        newest = Event.objects.order_by("-pk").values_list("pk", flat=True)[0]
        assert int(added.stdout.split()[-1]) == newest + 1, added.stderr


@pytest.mark.slow  # commands as processes
def test_a_damaged_backup_is_refused_and_nothing_is_written(some_backup: Path, folders: Path) -> None:
    whole = some_backup.read_bytes()
    damaged = folders / "damaged.tar"
    with tarfile.open(some_backup) as tar:
        members = tar.getmembers()
    end = members[-1].offset_data + members[-1].size
    cuts = [0, 100, 512, *(member.offset for member in members[1::7]), members[-1].offset, end - 1]
    for cut in cuts:
        damaged.write_bytes(whole[:cut])
        with pytest.raises(BackupRefused):
            verified(damaged)
    places = [member.offset_data + member.size // 2 for member in members if member.size]
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1
        damaged.write_bytes(changed)
        with pytest.raises(BackupRefused):
            verified(damaged)
    assert len(places) > 30
    refused = run(folders / "empty", f"sqlite:///{folders / 'empty.sqlite3'}", "restore", str(damaged))
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert not (folders / "empty" / "media").exists()


def test_a_file_that_was_slipped_in_is_refused(some_backup: Path, folders: Path) -> None:
    for name in ("media/more.png", "../outside", "/outside"):
        slipped = folders / "slipped.tar"
        slipped.write_bytes(some_backup.read_bytes())
        with tarfile.open(slipped, "a") as tar:
            info = tarfile.TarInfo(name)
            info.size = 3
            tar.addfile(info, io.BytesIO(b"abc"))
        with pytest.raises(BackupRefused):
            verified(slipped)


@pytest.mark.thorough
def test_a_database_with_rows_is_kept_unless_its_replacement_is_confirmed(
    some_backup: Path, folders: Path
) -> None:
    there, file = folders / "kept", folders / "kept.sqlite3"
    url = f"sqlite:///{file}"
    assert run(there, url, "restore", str(some_backup)).returncode == 0
    with closing(sqlite3.connect(file)) as restored:
        restored.execute(
            "update annotator_event set verb = 'since' where id = (select min(id) from annotator_event)"
        )
        restored.commit()
    again = run(there, url, "restore", str(some_backup))
    assert again.returncode == 1
    assert "The database is not empty" in again.stderr
    declined = run(there, url, "restore", str(some_backup), "--replace", told="no\n")
    assert declined.returncode == 1
    assert since(file) == 1
    replaced = run(there, url, "restore", str(some_backup), "--replace", told="replace\n")
    assert replaced.returncode == 0, replaced.stderr
    assert since(file) == 0


@pytest.mark.thorough
def test_other_media_in_the_place_stop_it_before_anything_is_written(
    some_backup: Path, folders: Path
) -> None:
    there = folders / "taken"
    place = there / "media" / verified(some_backup).media[0]
    place.parent.mkdir(parents=True)
    place.write_bytes(b"somebody else's")
    refused = run(there, f"sqlite:///{folders / 'taken.sqlite3'}", "restore", str(some_backup))
    assert refused.returncode == 1
    assert "A different file exists at" in refused.stderr
    assert place.read_bytes() == b"somebody else's"


@pytest.mark.thorough
def test_a_missing_file_is_told_and_the_rest_is_kept(folders: Path) -> None:
    side = make_side(1)
    lost = side.image.file.name
    assert lost
    default_storage.delete(lost)
    made = run(folders, database_url(), "backup", str(folders / "lost.tar"))
    assert f"Missing media file: {lost}" in made.stderr
    assert verified(folders / "lost.tar").missing == [lost]


@pytest.mark.thorough
def test_a_backup_is_never_written_over_and_is_remembered(source: Path, folders: Path) -> None:
    with pytest.raises(CommandError, match="already exists"):
        call_command("backup", str(source))
    made = records.last()
    assert made is not None
    assert made.size == source.stat().st_size
    assert source.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folders.iterdir() if path.name.startswith(".backup-")] == []
    said = io.StringIO()
    call_command("backup", str(source), "--check", stdout=said)
    assert "is intact" in said.getvalue()
