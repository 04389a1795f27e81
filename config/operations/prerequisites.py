"""Probes of what every process needs: database, migrations, media, queue, clock."""

from __future__ import annotations

import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connection, connections
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from kombu import Connection
from kombu.exceptions import OperationalError

from annotator.images.storage import PARTIAL_FOLDER
from annotator.models import Event
from config.operations.health import HealthCheck, bad, good

CONNECT_SECONDS: Final = 3
ROOM_BYTES: Final = 256 * 1024
"""Written to each folder: a single byte fits where the next annotation does not."""
SORTED_ON_DISK: Final = """
SELECT count(*) FROM (
    SELECT repeat(md5(place::text), 8) AS text FROM generate_series(1, 2000) AS place ORDER BY text OFFSET 0
) AS sorted
"""
"""Half a megabyte in a temporary file beside the tables, which leaves nothing behind."""
CLOCK_TOLERANCE: Final = timedelta(seconds=30)
# Read every time but write rarely, because a versioned bucket keeps every write.
WRITTEN_SECONDS: Final = 10 * 60
DATABASE, MIGRATIONS, MEDIA, CLOCK = "Database", "Migrations", "Media", "Clock"
LIBRARIES, QUEUE = "Libraries", "Queue"


def database() -> HealthCheck:
    """Connect outside the pool, which hides the reason and waits long; look whether its disk has room."""
    advice = "Check that it is running and that host, port, name and password in DATABASE_URL are correct."
    try:
        if connection.vendor == "postgresql":
            full = _room_of_postgresql()
        else:
            with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
                cursor.execute("select 1")
            full = _refusal(Path(connection.settings_dict["NAME"]).parent)
    except (DatabaseError, InterfaceError, OSError) as error:
        return bad(DATABASE, f"unreachable ({_first_line(error)}).", advice)
    except Exception as error:
        if not type(error).__module__.startswith("psycopg"):
            raise
        return bad(DATABASE, f"unreachable ({_first_line(error)}).", advice)
    if full:
        return bad(DATABASE, f"cannot store anything ({full}).", "Free space on the disk of the database.")
    return good(DATABASE, "reachable.")


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


def migrations() -> HealthCheck:
    """Compare the applied migrations with those of this version."""
    try:
        loader = MigrationLoader(connection)
    except DatabaseError as error:
        return bad(MIGRATIONS, f"cannot be read ({_first_line(error)}).", "See the database check.")
    applied, known = set(loader.applied_migrations or ()), set(loader.disk_migrations or ())
    newer = {each for each in applied - known if each[0] in loader.migrated_apps}
    if newer:
        return bad(MIGRATIONS, "the database belongs to a newer program version.", "Start that version.")
    if missing := known - applied:
        return bad(MIGRATIONS, f"{len(missing)} pending.", "Run manage.py migrate.")
    return good(MIGRATIONS, "all applied.")


def media() -> HealthCheck:
    """Write to the media folders; in a bucket, do what the program does there."""
    folders = {"UPLOAD_DIR": settings.UPLOAD_DIR, "VAR_DIR": settings.VAR_DIR}
    if not settings.MEDIA_STORE:
        folders = {"MEDIA_ROOT": settings.MEDIA_ROOT, **folders}
    for name, folder in folders.items():
        if reason := _refusal(Path(folder)):
            advice = f"Check that the folder in {name} belongs to the account that runs this and has space."
            return bad(MEDIA, f"the folder is not writable ({reason}).", advice)
    return _bucket(settings.MEDIA_STORE.bucket) if settings.MEDIA_STORE else good(MEDIA, "writable.")


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


def _bucket(bucket: str) -> HealthCheck:
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
        advice = "Check the MEDIA_STORE variables and that its keys may list, put, get and delete there."
        return bad(MEDIA, f"the bucket {bucket} cannot be used: {error.strerror}.", advice)
    return good(MEDIA, f"the bucket {bucket} is readable and writable.")


def libraries() -> HealthCheck:
    """Import the queue's transport, which otherwise only the first job would do."""
    try:
        _ = _broker().transport
    except ImportError as error:
        advice = "The installation is incomplete. Install everything in requirements.lock."
        return bad(LIBRARIES, f"the queue's transport cannot be imported ({_first_line(error)}).", advice)
    return good(LIBRARIES, "the queue's transport is installed.")


def queue() -> HealthCheck:
    """Connect to the broker as requests and workers do."""
    if not settings.REDIS_URL:
        if reason := _refusal(settings.QUEUE_DIR):
            return bad(QUEUE, f"its folder is not writable ({reason}).", "Check VAR_DIR: owner and space.")
        return good(QUEUE, "a folder; Redis is not configured.")
    try:
        with _broker() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=CONNECT_SECONDS)
    except ImportError as error:
        return bad(QUEUE, f"cannot be used ({_first_line(error)}).", "See the libraries check.")
    except (OperationalError, OSError) as error:
        advice = (
            "Annotations and jobs are saved, but nothing is computed. Check that it runs and the password."
        )
        return bad(QUEUE, f"Redis is not responding ({_first_line(error)}).", advice)
    return good(QUEUE, "Redis responds.")


def _broker() -> Connection:
    options = dict.fromkeys(("socket_connect_timeout", "socket_timeout"), CONNECT_SECONDS)
    return Connection(
        settings.REDIS_URL or settings.CELERY_BROKER_URL,
        transport_options={**settings.CELERY_BROKER_TRANSPORT_OPTIONS, **options},
    )


def clock() -> HealthCheck:
    """Compare this machine's clock with the database's and with the last Event."""
    now, theirs = datetime.now(UTC), _database_time()
    advice = "Set the clock (NTP), because sessions, leases and the order of events depend on it."
    if theirs is not None and abs(theirs - now) > CLOCK_TOLERANCE:
        return bad(
            CLOCK, f"differs from the database's by {abs(theirs - now).total_seconds():.0f} s.", advice
        )
    newest = Event.objects.order_by("-pk").values_list("created_at", flat=True).first()
    if newest is not None and newest - timezone.now() > CLOCK_TOLERANCE:
        return bad(CLOCK, "earlier than the last event.", advice)
    return good(CLOCK, "correct.")


def _database_time() -> datetime | None:
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute("select clock_timestamp()")
        found = cursor.fetchone()
    return found[0] if found else None


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
