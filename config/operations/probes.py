"""The probes of what must be there before anything starts: database, migrations, media, Redis, clock."""

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

from annotator.models import Event
from annotator.storage import PARTIAL_FOLDER
from config.operations.lights import Light, bad, good

CONNECT_SECONDS: Final = 3
CLOCK_TOLERANCE: Final = timedelta(seconds=30)
# A bucket that keeps versions keeps each that is written: reading is asked for every time, writing seldom.
WRITTEN_SECONDS: Final = 10 * 60
DATABASE, MIGRATIONS, MEDIA, REDIS, CLOCK = "Database", "Migrations", "Media", "Queue", "Clock"


def database() -> Light:
    """Connect, outside of the pool: a pool hides the reason and waits long."""
    advice = "Is it running? Are host, port, name and password in DATABASE_URL right?"
    try:
        if connection.vendor == "postgresql":
            _connect_directly()
        else:
            with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
                cursor.execute("select 1")
    except (DatabaseError, InterfaceError, OSError) as error:
        return bad(DATABASE, f"cannot be reached ({_first_line(error)}).", advice)
    except Exception as error:
        if not type(error).__module__.startswith("psycopg"):
            raise
        return bad(DATABASE, f"cannot be reached ({_first_line(error)}).", advice)
    return good(DATABASE, "answers.")


def _connect_directly() -> None:
    import psycopg

    settings_of = connection.get_connection_params()
    wanted = {
        key: settings_of[key] for key in ("host", "port", "dbname", "user", "password") if key in settings_of
    }
    psycopg.connect(**wanted, connect_timeout=CONNECT_SECONDS).close()


def migrations() -> Light:
    """Compare what was applied with what this version of the program knows."""
    try:
        loader = MigrationLoader(connection)
    except DatabaseError as error:
        return bad(MIGRATIONS, f"cannot be read ({_first_line(error)}).", "See the database.")
    applied, known = set(loader.applied_migrations or ()), set(loader.disk_migrations or ())
    newer = {each for each in applied - known if each[0] in loader.migrated_apps}
    if newer:
        return bad(
            MIGRATIONS, "the database belongs to a newer version of the program.", "Start that version."
        )
    if missing := known - applied:
        return bad(MIGRATIONS, f"{len(missing)} are pending.", "Run: manage.py migrate")
    return good(MIGRATIONS, "all applied.")


def media() -> Light:
    """Write into the folder of media, or do in the bucket what the program does there."""
    if settings.MEDIA_STORE:
        return _bucket(settings.MEDIA_STORE.bucket)
    folder = Path(settings.MEDIA_ROOT)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            file.flush()
    except OSError as error:
        advice = "Does the folder in MEDIA_ROOT belong to the account that runs this, and is there room?"
        return bad(MEDIA, f"the folder takes no files ({error.strerror}).", advice)
    return good(MEDIA, "can be written.")


_written: dict[str, float] = {}


def _bucket(bucket: str) -> Light:
    written, absent = f"{PARTIAL_FOLDER}/probe", f"{PARTIAL_FOLDER}/absent"
    try:
        if bucket not in _written or time.monotonic() > _written[bucket] + WRITTEN_SECONDS:
            default_storage.save(written, ContentFile(b"x"))
            default_storage.exists(absent)  # refused to whoever may not list
            default_storage.delete(absent)
            _written[bucket] = time.monotonic()
        with default_storage.open(written) as file:
            file.read()
    except OSError as error:
        _written.pop(bucket, None)
        advice = "Are the MEDIA_STORE variables right, and may its keys list, put, get and delete there?"
        return bad(MEDIA, f"the bucket {bucket} cannot be used: {error.strerror}.", advice)
    return good(MEDIA, f"the bucket {bucket} can be written and read.")


def redis() -> Light:
    """Ask Redis; without REDIS_URL a folder is the queue."""
    if not settings.REDIS_URL:
        return good(REDIS, "a folder, no Redis configured.")
    from redis import Redis, RedisError

    try:
        with Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=CONNECT_SECONDS, socket_timeout=CONNECT_SECONDS
        ) as client:
            client.ping()
    except (RedisError, OSError) as error:
        advice = (
            "Saving goes on and jobs are kept, but nothing is computed. Is it running, is the password right?"
        )
        return bad(REDIS, f"Redis does not answer ({_first_line(error)}).", advice)
    return good(REDIS, "Redis answers.")


def clock() -> Light:
    """Compare this machine's clock with the database's, and with what was stored last."""
    now, theirs = datetime.now(UTC), _database_time()
    advice = "Set the clock (NTP): sessions, leases and the order of events depend on it."
    if theirs is not None and abs(theirs - now) > CLOCK_TOLERANCE:
        return bad(
            CLOCK, f"differs from the database's by {abs(theirs - now).total_seconds():.0f} s.", advice
        )
    newest = Event.objects.order_by("-pk").values_list("created_at", flat=True).first()
    if newest is not None and newest - timezone.now() > CLOCK_TOLERANCE:
        return bad(CLOCK, "stands before what was stored last.", advice)
    return good(CLOCK, "agrees.")


def _database_time() -> datetime | None:
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute("select clock_timestamp()")
        found = cursor.fetchone()
    return found[0] if found else None


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
