"""Backups: every row and file comes back; what is damaged or in the way stops a restore before it begins."""

from __future__ import annotations

import os
import subprocess
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from django.apps import apps
from django.conf import settings as configured
from django.core.files.storage import default_storage
from django.db import connection, connections
from django.db.models import Field, Model

from annotator.models import Event, Project
from tests.analysis.processes import database_url
from tests.permissions.world import make_side

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]

SESSION: Final = "django_session"
EVENTS: Final = "annotator_event"
Rows = dict[str, list[str]]
TYPICAL: Final[dict[str, Any]] = {
    "BooleanField": True,
    "CharField": "a",
    "DateField": date(2026, 3, 2),
    "DateTimeField": datetime(2026, 3, 2, tzinfo=UTC),
    "DecimalField": 1,
    "EmailField": "ada@example.org",
    "FloatField": 0.1,
    "GenericIPAddressField": "203.0.113.7",
    "IntegerField": 1,
    "JSONField": {"list": [1, "\u00fc", None]},
    "PositiveIntegerField": 1,
    "PositiveSmallIntegerField": 1,
    "SlugField": "anatomy",
    "TextField": "a\nb",
    "UUIDField": uuid.UUID(int=7),
}
"""A value for each kind of column."""


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    make_side(1)
    return tmp_path / "media"


@pytest.fixture
def new_database(tmp_path: Path) -> Iterator[str]:
    """The address of an empty database of this run's kind."""
    if connection.vendor != "postgresql":
        yield f"sqlite:///{tmp_path / 'new' / 'db.sqlite3'}"
        return
    name = f"restored_{uuid.uuid4().hex[:12]}"
    with connection.cursor() as cursor:
        cursor.execute(f"create database {name}")
    yield f"{database_url().rpartition('/')[0]}/{name}"
    with connection.cursor() as cursor:
        cursor.execute(f"drop database {name} with (force)")


def row_of(model: type[Model]) -> Model:
    """Return a row of a table, made if it has none, with the rows that it needs of other tables."""
    if (row := model._base_manager.first()) is not None:
        return row
    columns = [field for field in model._meta.concrete_fields if not field.has_default()]
    filled = [field for field in columns if field.remote_field or not field.primary_key]
    return model._base_manager.create(**{field.name: _value_of(field) for field in filled})


def _value_of(field: Field[Any, Any]) -> Any:
    if field.remote_field is not None:
        return None if field.null else row_of(field.remote_field.model)
    return field.choices[0][0] if field.choices else TYPICAL[field.get_internal_type()]


@contextmanager
def people_at_work() -> Iterator[None]:
    """Let somebody store events until the end of the block, and at least one."""
    stop, stored = threading.Event(), threading.Event()
    project = Project.objects.earliest("pk")

    def work() -> None:
        while not stop.is_set():
            Event.objects.create(project=project, verb="saved", data={"note": "meanwhile"})
            stored.set()
            stop.wait(0.005)
        connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
        assert stored.wait(30)
    finally:
        stop.set()
        worker.join(30)


def script(task: str, folder: Path, url: str, media: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATABASE_URL": url, "MEDIA_ROOT": str(media)}
    command = [str(configured.BASE_DIR / "config" / "backup.sh"), task, str(folder)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def rows() -> Rows:
    """Return every row of every table, sessions aside."""
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor)) - {SESSION}
        stored = {}
        for table in tables:
            cursor.execute(f"select * from {connection.ops.quote_name(table)}")
            stored[table] = sorted(map(repr, cursor.fetchall()))
    return stored


def rows_at(url: str) -> Rows:
    """Return the rows of another database of the same kind."""
    settings = connection.settings_dict
    here = settings["NAME"]
    connection.close()
    settings["NAME"] = url.removeprefix("sqlite:///") if "sqlite" in url else url.rpartition("/")[2]
    try:
        return rows()
    finally:
        connection.close()
        settings["NAME"] = here


def files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_every_row_of_every_table_and_every_file_comes_back(
    tmp_path: Path, media: Path, new_database: str
) -> None:
    """With dates in JSON, binary plans, links of libraries: whatever any table may hold."""
    for model in apps.get_models(include_auto_created=True):
        row_of(model)
    before = rows()
    assert [table for table, kept in before.items() if not kept] == []
    with people_at_work():
        made = script("write", tmp_path / "backup", database_url(), media)
    assert made.returncode == 0, made.stderr
    assert oct((tmp_path / "backup").stat().st_mode)[-3:] == "700"
    restored = script("restore", tmp_path / "backup", new_database, tmp_path / "restored")
    assert restored.returncode == 0, restored.stderr
    there, after = rows_at(new_database), rows()
    events = [set(stored.pop(EVENTS)) for stored in (before, there, after)]
    assert events[0] <= events[1] <= events[2] > events[0]
    assert there == before == after
    assert files(tmp_path / "restored") == files(media) != {}


def test_a_backup_is_never_written_over(tmp_path: Path, media: Path) -> None:
    (tmp_path / "backup").mkdir()
    refused = script("write", tmp_path / "backup", database_url(), media)
    assert (refused.returncode, refused.stderr) == (1, f"{tmp_path / 'backup'} exists. Name a new folder.\n")


def test_a_damaged_backup_restores_nothing(tmp_path: Path, media: Path, new_database: str) -> None:
    backup = tmp_path / "backup"
    assert script("write", backup, database_url(), media).returncode == 0
    for name in ("media.tar", "database.dump" if connection.vendor == "postgresql" else "db.sqlite3"):
        whole = (backup / name).read_bytes()
        (backup / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        refused = script("restore", backup, new_database, tmp_path / "restored")
        assert refused.stderr.endswith("is damaged. Nothing was restored.\n"), refused.stderr
        (backup / name).write_bytes(whole)
    assert not (tmp_path / "restored").exists()


def test_a_database_in_use_is_not_written_over(tmp_path: Path, media: Path) -> None:
    assert script("write", tmp_path / "backup", database_url(), media).returncode == 0
    before = rows()
    default_storage.save("later.txt", default_storage.open(next(iter(files(media)))))
    refused = script("restore", tmp_path / "backup", database_url(), media)
    assert refused.returncode == 1
    assert "othing was restored" in refused.stderr
    connections["default"].close()
    assert rows() == before
    assert (media / "later.txt").is_file()
