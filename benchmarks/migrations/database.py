"""A temporary database: filled, migrated, read completely."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg

ROOT: Final = Path(__file__).resolve().parent.parent.parent
CHUNK: Final = 5000
# `ru_maxrss` includes the size of the parent process; VmHWM does not.
MIGRATE: Final = """
import resource, sys
from pathlib import Path
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "migrate", "--verbosity", "0", *sys.argv[1:]])
own = Path("/proc/self/status")
told = own.read_text().partition("VmHWM:")[2].split() if own.exists() else []
print(told[0] if told else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
TABLES: Final = (
    *("annotator_user", "annotator_project", "annotator_membership", "annotator_batch", "annotator_image"),
    *("annotator_assignment", "annotator_annotation", "annotator_adjudication", "annotator_event"),
)

Row = tuple[Any, ...]


class Database:
    """A temporary database, by its address."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_postgres = url.startswith("postgres")

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """Return a connection that commits each statement."""
        if self.is_postgres:
            with psycopg.connect(self.url, autocommit=True) as held:
                yield held
            return
        with closing(sqlite3.connect(urlsplit(self.url).path, isolation_level=None)) as file:
            yield file

    def migrate(self, *target: str) -> float:
        """Run the migrations in a separate process; return its peak memory in megabytes."""
        environment = {**os.environ, "DATABASE_URL": self.url, "DJANGO_SETTINGS_MODULE": "config.settings"}
        environment |= {"DEBUG": "1", "VAR_DIR": tempfile.gettempdir()}
        environment.pop("REDIS_URL", None)
        command = [sys.executable, "-c", MIGRATE, *target]
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"migrate {' '.join(target)} failed:\n{done.stderr[-2000:]}")
        return int(done.stdout.split()[-1]) / 1024

    def columns(self) -> dict[str, list[str]]:
        """Return every table's present columns, by name."""
        return {table: sorted(self._columns(table)) for table in TABLES}

    def _columns(self, table: str) -> list[str]:
        with self.connection() as held:
            found = held.execute(f"SELECT * FROM {table} LIMIT 0")
            return [column[0] for column in found.description]

    def digests(self, columns: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Return each table's number of rows and a digest of these columns."""
        return {table: self._digest(table, names) for table, names in columns.items()}

    def _digest(self, table: str, columns: Sequence[str]) -> str:
        shown = ", ".join(f'CAST("{name}" AS TEXT)' for name in columns)
        digest, count = hashlib.sha256(), 0
        for row in self.rows(f"SELECT {shown} FROM {table} ORDER BY id"):
            digest.update(repr(row).encode())
            count += 1
        return f"{count} {digest.hexdigest()}"

    def rows(self, query: str) -> Iterator[Row]:
        """Yield the rows of a query."""
        with self.connection() as held:
            if self.is_postgres:
                with held.transaction(), held.cursor("rows") as cursor:
                    cursor.itersize = CHUNK
                    yield from cursor.execute(query)
                return
            yield from held.execute(query)

    def store(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Store rows in batches."""
        waiting = iter(rows)
        while chunk := list(islice(waiting, CHUNK)):
            names = list(chunk[0])
            columns = ", ".join(f'"{name}"' for name in names)
            with self.connection() as held:
                if self.is_postgres:
                    with held.cursor().copy(f"COPY {table} ({columns}) FROM STDIN") as copied:
                        for row in chunk:
                            copied.write_row([row[name] for name in names])
                    continue
                marks = ", ".join("?" * len(names))
                held.execute("BEGIN")
                held.executemany(
                    f"INSERT INTO {table} ({columns}) VALUES ({marks})",
                    [[row[name] for name in names] for row in chunk],
                )
                held.execute("COMMIT")


@contextmanager
def empty(kind: str) -> Iterator[Database]:
    """Create a database, a file or one beside DATABASE_URL's, and remove it afterwards."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="anatomark-migrations-") as folder:
            yield Database(f"sqlite:///{folder}/db.sqlite3")
        return
    address = urlsplit(os.environ["DATABASE_URL"])
    name = f"migrations_{uuid4().hex[:12]}"
    with psycopg.connect(urlunsplit(address), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')  # type: ignore[arg-type, unused-ignore]
        try:
            yield Database(urlunsplit(address._replace(path=f"/{name}")))
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')  # type: ignore[arg-type, unused-ignore]
