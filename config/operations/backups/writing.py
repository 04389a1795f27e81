"""Write a backup: all rows of one snapshot and all media in a tar file that ends with its manifest."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from django.apps import apps
from django.core.files.storage import default_storage
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from annotator.images.storage import PARTIAL_FOLDER
from annotator.models import Image
from config.operations import prerequisites
from config.operations.backups import records
from config.operations.backups.rows import lines_of, models_of
from config.operations.health import HealthState

_COPY = "backup_snapshot"


@contextmanager
def snapshot(folder: Path) -> Iterator[str]:
    """Yield the alias of a consistent snapshot; writers do not wait.

    On PostgreSQL a read-only transaction; on SQLite a copy in `folder`, by SQLite's own backup.
    """
    if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
        with transaction.atomic():
            with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield DEFAULT_DB_ALIAS
    else:
        with _copied(folder) as alias:
            yield alias


@contextmanager
def _copied(folder: Path) -> Iterator[str]:
    copy = folder / "snapshot.sqlite3"
    source = connections[DEFAULT_DB_ALIAS]
    source.ensure_connection()
    with sqlite3.connect(copy) as into:
        source.connection.backup(into)
    into.close()
    connections.databases[_COPY] = {**source.settings_dict, "NAME": str(copy)}
    try:
        yield _COPY
    finally:
        connections[_COPY].close()
        del connections[_COPY]
        del connections.databases[_COPY]
        for file in folder.glob("snapshot.sqlite3*"):
            file.unlink()


FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
SEAL: Final = "manifest.sha256"


class BackupRefused(RuntimeError):
    """The backup cannot be written or used; the message says why."""


@dataclass
class BackupContents:
    """The contents of a backup, as in its manifest."""

    made: str = ""
    migrations: list[list[str]] = field(default_factory=list)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    members: dict[str, dict[str, Any]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Return the number of rows of all tables."""
        return sum(int(table["rows"]) for table in self.tables.values())

    @property
    def media(self) -> list[str]:
        """Return the names of the media files, as in the storage."""
        return [name.removeprefix("media/") for name in self.members if name.startswith("media/")]


def write_backup(target: Path) -> BackupContents:
    """Write a backup to `target`, completely or not at all; raise BackupRefused or OSError."""
    if target.exists():
        raise BackupRefused(f"{target} already exists. Choose a new file; backups are never overwritten.")
    light = prerequisites.migrations()
    if light.state != HealthState.GOOD:
        raise BackupRefused(light.line)
    target.parent.mkdir(parents=True, exist_ok=True)
    contents = BackupContents(made=datetime.now(UTC).isoformat(timespec="seconds"))
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
        partial = Path(folder, "backup.tar")
        with partial.open("xb") as file:
            partial.chmod(0o600)
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                _write(tar, contents, Path(folder))
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    records.keep(target.stat().st_size)
    return contents


def _write(tar: tarfile.TarFile, contents: BackupContents, folder: Path) -> None:
    with snapshot(folder) as using:
        contents.migrations = sorted(
            list(each) for each in MigrationRecorder(connection).applied_migrations()
        )
        for model in models_of(apps):
            _add_table(tar, contents, model, using)
        wanted = set(_wanted_media(using))
    # After the rows: files are stored before their rows, so every row of the snapshot has its file.
    for name in _stored_media():
        _add_media(tar, contents, name)
    contents.missing = sorted(wanted - set(contents.media))
    manifest = json.dumps({"format": FORMAT, **contents.__dict__}, ensure_ascii=False, indent=1).encode()
    _add(tar, MANIFEST, io.BytesIO(manifest), len(manifest))
    seal = hashlib.sha256(manifest).hexdigest().encode()
    _add(tar, SEAL, io.BytesIO(seal), len(seal))


def _add_table(tar: tarfile.TarFile, contents: BackupContents, model: type[Model], using: str) -> None:
    label, rows = model._meta.label_lower, 0
    with tempfile.TemporaryFile() as file:
        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
            for line in lines_of(model, using):
                packed.write(line)
                rows += 1
        size = file.tell()
        file.seek(0)
        name = f"tables/{label}.jsonl.gz"
        contents.members[name] = _add(tar, name, file, size)
    columns = [each.attname for each in model._meta.concrete_fields]
    contents.tables[label] = {"rows": rows, "columns": columns}


def _wanted_media(using: str) -> Iterator[str]:
    names = Image.everything.using(using).order_by().values_list("file", "display")
    for pair in names.iterator(chunk_size=1000):
        yield from filter(None, pair)


def _stored_media(folder: str = "") -> Iterator[str]:
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    prefix = f"{folder}/" if folder else ""
    yield from (f"{prefix}{name}" for name in sorted(files) if not name.startswith("."))
    for name in sorted(folders):
        if f"{prefix}{name}" != PARTIAL_FOLDER:
            yield from _stored_media(f"{prefix}{name}")


def _add_media(tar: tarfile.TarFile, contents: BackupContents, name: str) -> None:
    try:
        file: Any = default_storage.open(name, "rb")
        file.file.peek(1)  # opens the object
    except FileNotFoundError:
        return  # an export that has just expired, or an upload just discarded
    with file:
        contents.members[f"media/{name}"] = _add(tar, f"media/{name}", file, file.size)


def _add(tar: tarfile.TarFile, name: str, file: Any, size: int) -> dict[str, Any]:
    reader = Hashing(file)
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    # An upload that still grows is saved at its earlier length.
    tar.addfile(info, reader)
    return {"size": size, "sha256": reader.digest.hexdigest()}


class Hashing:
    """Hashes a file while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.digest = hashlib.sha256()
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """Read and hash the next bytes."""
        part = self._file.read(size)
        self.digest.update(part)
        return part
