"""Restore a backup into an empty database, completely or not at all; ids of its Events are not reused."""

from __future__ import annotations

import os
import tarfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from django.apps import apps as current_apps
from django.apps.registry import Apps
from django.conf import settings
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import Max, Model

from annotator.images.storage import PARTIAL_FOLDER, save_object
from annotator.models import Assignment, Event, Project
from config.operations.backups.reading import member, table_lines, verified
from config.operations.backups.rows import LEFT_OUT, load, models_of
from config.operations.backups.writing import BackupContents, BackupRefused, Hashing

SPOKEN_OF: Final[tuple[tuple[type[Model], str], ...]] = (
    (Project, "project_id"),
    (Assignment, "assignment_id"),
)


def keep_numbers() -> None:
    """Advance the id sequences past every project and assignment that an Event names."""
    for model, column in SPOKEN_OF:
        used = [
            Event.objects.aggregate(last=Max(column))["last"],
            model._base_manager.aggregate(last=Max("pk"))["last"],
        ]
        last = max((number for number in used if number is not None), default=0)
        if last:
            _count_on(model._meta.db_table, last)


def _count_on(table: str, last: int) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, last])
            return
        cursor.execute("UPDATE sqlite_sequence SET seq = max(seq, %s) WHERE name = %s", [last, table])
        if cursor.rowcount == 0:
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, last])


# `migrate` fills these tables; the backup's rows replace them, because permissions refer to their ids.
MADE_BY_MIGRATE: Final = frozenset({"contenttypes.contenttype", "auth.permission"})
_PIECE: Final = 1024 * 1024


def restore(path: Path, *, replace: bool = False) -> BackupContents:
    """Verify and restore a backup.

    Media are restored first, so that no row names a missing file; rows follow in one transaction. `replace`
    deletes existing rows in that transaction, and media of the same name. Raise BackupRefused before anything
    is written if the backup or the target is unsuitable.
    """
    contents = verified(path)
    _refuse_unknown(contents)
    if not replace and not database_is_empty():
        raise BackupRefused("The database is not empty. Restore into an empty one, or use --replace.")
    _refuse_other_state(contents)
    with tarfile.open(path, "r:") as tar:
        if not replace:
            _refuse_other_media(contents)
        _migrate_to(contents)
        for name in contents.media:
            _put_media(tar, contents, name)
        _load_rows(tar, contents)
    call_command("migrate", verbosity=0, interactive=False)
    keep_numbers()
    return contents


def database_is_empty() -> bool:
    """Return whether the database holds only rows that `migrate` writes."""
    tables = set(connection.introspection.table_names())
    for model in models_of(current_apps):
        table = model._meta.db_table
        if table in tables and model._meta.label_lower not in MADE_BY_MIGRATE:
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table)} LIMIT 1")  # noqa: S608  own names
                if cursor.fetchone():
                    return False
    return True


def _refuse_unknown(contents: BackupContents) -> None:
    known = MigrationLoader(connection).disk_migrations or {}
    if any((app, name) not in known for app, name in contents.migrations):
        raise BackupRefused("The backup was made by a newer program version. Install that version first.")


def _refuse_other_state(contents: BackupContents) -> None:
    applied = set(MigrationLoader(connection).applied_migrations or ())
    if applied and applied != {(app, name) for app, name in contents.migrations}:
        raise BackupRefused(
            "The tables have a different version from the backup. Create an empty database and restore "
            "into it without running migrate first."
        )


def _refuse_other_media(contents: BackupContents) -> None:
    for name in contents.media:
        if (there := _digest(name)) and there != contents.members[f"media/{name}"]["sha256"]:
            use = "MEDIA_STORE or prefix" if settings.MEDIA_STORE else "MEDIA_ROOT"
            raise BackupRefused(f"A different file exists at {name}. Use an empty {use}, or --replace.")


def _migrate_to(contents: BackupContents) -> None:
    """Create the tables as of the backup; newer migrations follow after the rows."""
    executor = MigrationExecutor(connection)
    executor.migrate(_newest_of(executor.loader, contents))


def _newest_of(loader: MigrationLoader, contents: BackupContents) -> list[tuple[str, str]]:
    """Return the last migration of each app, because naming an earlier one would migrate backwards."""
    applied = {(app, name) for app, name in contents.migrations}
    followed = {
        parent.key
        for key in applied
        for parent in loader.graph.node_map[key].parents
        if parent.key[0] == key[0]
    }
    return sorted(applied - followed)


def _load_rows(tar: tarfile.TarFile, contents: BackupContents) -> None:
    loader = MigrationLoader(connection)
    then = loader.project_state(_newest_of(loader, contents)).apps
    models = {model._meta.label_lower: model for model in models_of(then)}
    if unknown := sorted(contents.tables.keys() - models.keys()):
        raise BackupRefused(f"The backup has an unknown table: {unknown[0]}.")
    with transaction.atomic():
        _empty(then)
        for label, table in contents.tables.items():
            with member(tar, contents, f"tables/{label}.jsonl.gz") as reader:
                number = load(models[label], table["columns"], table_lines(reader), connection.alias)
            if number != table["rows"]:
                raise BackupRefused(f"{label} has {number} rows instead of {table['rows']}.")
        connection.check_constraints()
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), list(models.values())):
                cursor.execute(statement)


def _empty(apps: Apps) -> None:
    sessions = [model for model in apps.get_models() if model._meta.label_lower in LEFT_OUT]
    tables = [connection.ops.quote_name(model._meta.db_table) for model in (*models_of(apps), *sessions)]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"TRUNCATE {', '.join(tables)}")
            return
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608  own names


def _put_media(tar: tarfile.TarFile, contents: BackupContents, name: str) -> None:
    if _digest(name) == contents.members[f"media/{name}"]["sha256"]:
        return
    if _is_object(name):
        save_object(name, _pieces(tar, contents, name))
        return
    place = _place(name)
    partial = _place(f"{PARTIAL_FOLDER}/{uuid.uuid4().hex}")
    for folder in (partial.parent, place.parent):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with partial.open("xb") as file:
            file.writelines(_pieces(tar, contents, name))
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(settings.FILE_UPLOAD_PERMISSIONS or 0o640)
        partial.replace(place)
    finally:
        partial.unlink(missing_ok=True)


def _pieces(tar: tarfile.TarFile, contents: BackupContents, name: str) -> Iterator[bytes]:
    with member(tar, contents, f"media/{name}") as reader:
        while part := reader.read(_PIECE):
            yield part


def _is_object(name: str) -> bool:
    """Return whether a file belongs in a bucket; unfinished uploads are always on disk."""
    return bool(settings.MEDIA_STORE) and not _place(name).is_relative_to(Path(settings.UPLOAD_DIR).resolve())


def _place(name: str) -> Path:
    root = Path(settings.MEDIA_ROOT).resolve()
    place = Path(root, name).resolve()
    if not place.is_relative_to(root):
        raise BackupRefused(f"{name} is outside MEDIA_ROOT.")
    return place


def _digest(name: str) -> str:
    """Return the SHA-256 of the existing file; "" if there is none."""
    file: IO[bytes]
    try:
        file = default_storage.open(name) if _is_object(name) else _place(name).open("rb")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    with file:
        reader = Hashing(file)
        while reader.read(_PIECE):
            pass
    return reader.digest.hexdigest()
