"""Probes of what every process needs; each returns its fault and what to do, or nothing."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connection, connections
from django.db.migrations.loader import MigrationLoader
from kombu import Connection
from kombu.exceptions import OperationalError

from annotator.images.storage import PARTIAL_FOLDER

CONNECT_SECONDS: Final = 3
ROOM_BYTES: Final = 256 * 1024
"""Written to each folder: a single byte fits where the next annotation does not."""
SORTED_ON_DISK: Final = """
SELECT count(*) FROM (
    SELECT repeat(md5(place::text), 8) AS text FROM generate_series(1, 2000) AS place ORDER BY text OFFSET 0
) AS sorted
"""
"""Half a megabyte in a temporary file beside the tables, which leaves nothing behind."""
# Read every time but write rarely, because a versioned bucket keeps every write.
WRITTEN_SECONDS: Final = 10 * 60


def database() -> str:
    """Connect outside the pool, which hides the reason and waits long; look whether its disk has room."""
    try:
        if connection.vendor == "postgresql":
            full = _room_of_postgresql()
        else:
            with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
                cursor.execute("select 1")
            full = _refusal(Path(connection.settings_dict["NAME"]).parent)
    except Exception as error:
        known = isinstance(error, DatabaseError | InterfaceError | OSError)
        if not (known or type(error).__module__.startswith("psycopg")):
            raise
        return (
            f"unreachable ({_first_line(error)}). "
            "Check that it is running and that host, port, name and password in DATABASE_URL are correct."
        )
    return full and f"cannot store anything ({full}). Free space on the disk of the database."


def _room_of_postgresql() -> str:
    """Return why its disk takes no more; empty if it does. Raise psycopg.Error if it is unreachable."""
    import psycopg
    from psycopg.errors import DiskFull

    settings_of = connection.get_connection_params()
    wanted = {
        key: settings_of[key] for key in ("host", "port", "dbname", "user", "password") if key in settings_of
    }
    with psycopg.connect(**wanted, connect_timeout=CONNECT_SECONDS) as direct:
        try:
            direct.execute("SET LOCAL work_mem = '64kB'")
            direct.execute(SORTED_ON_DISK)
        except DiskFull as error:
            return _first_line(error)
    return ""


def migrations() -> str:
    """Compare the applied migrations with those of this version."""
    try:
        loader = MigrationLoader(connection)
    except DatabaseError as error:
        return f"cannot be read ({_first_line(error)}). See the database check."
    applied, known = set(loader.applied_migrations or ()), set(loader.disk_migrations or ())
    if any(app in loader.migrated_apps for app, _ in applied - known):
        return "the database belongs to a newer program version. Start that version."
    missing = known - applied
    return f"{len(missing)} pending. Run manage.py migrate." if missing else ""


def media() -> str:
    """Write to the media folders; in a bucket, do what the program does there."""
    folders = {"VAR_DIR": settings.VAR_DIR}
    if not settings.MEDIA_STORE:
        folders = {"MEDIA_ROOT": settings.MEDIA_ROOT, **folders}
    for name, folder in folders.items():
        if reason := _refusal(Path(folder)):
            return (
                f"the folder is not writable ({reason}). "
                f"Check that the folder in {name} belongs to the account that runs this and has space."
            )
    return _bucket(settings.MEDIA_STORE.bucket) if settings.MEDIA_STORE else ""


def _refusal(folder: Path) -> str:
    """Return why a folder is not writable; empty if it is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM_BYTES))
            file.flush()
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


_written: dict[str, float] = {}


def _bucket(bucket: str) -> str:
    written, absent = f"{PARTIAL_FOLDER}/probe", f"{PARTIAL_FOLDER}/absent"
    try:
        if bucket not in _written or time.monotonic() > _written[bucket] + WRITTEN_SECONDS:
            default_storage.save(written, ContentFile(b"x"))
            default_storage.exists(absent)  # refused without permission to list
            default_storage.delete(absent)
            _written[bucket] = time.monotonic()
        with default_storage.open(written) as file:
            file.read()
    except OSError as error:
        _written.pop(bucket, None)
        return (
            f"the bucket {bucket} cannot be used: {error.strerror}. "
            "Check the MEDIA_STORE variables and that its keys may list, put, get and delete there."
        )
    return ""


def libraries() -> str:
    """Import the queue's transport, which otherwise only the first job would do."""
    try:
        _ = _broker().transport
    except ImportError as error:
        return (
            f"the queue's transport cannot be imported ({_first_line(error)}). "
            "The installation is incomplete. Install everything in requirements.lock."
        )
    return ""


def queue() -> str:
    """Connect to the broker as requests and workers do."""
    if not settings.REDIS_URL:
        reason = _refusal(settings.QUEUE_DIR)
        return reason and f"its folder is not writable ({reason}). Check VAR_DIR: owner and space."
    try:
        with _broker() as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=CONNECT_SECONDS)
    except ImportError:
        return ""  # the fault of the libraries
    except (OperationalError, OSError) as error:
        return (
            f"Redis is not responding ({_first_line(error)}). "
            "Annotations and jobs are saved, but nothing is computed. Check that it runs and the password."
        )
    return ""


def _broker() -> Connection:
    options = dict.fromkeys(("socket_connect_timeout", "socket_timeout"), CONNECT_SECONDS)
    return Connection(
        settings.REDIS_URL or settings.CELERY_BROKER_URL,
        transport_options={**settings.CELERY_BROKER_TRANSPORT_OPTIONS, **options},
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
