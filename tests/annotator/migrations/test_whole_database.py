"""A database of an earlier version: after the migrations every old byte of it is there."""

from __future__ import annotations

import sqlite3

import psycopg
import pytest

from benchmarks.migrations.comparing import checked
from benchmarks.migrations.database import Database, empty
from benchmarks.migrations.rows import EARLIER, fill, shared_of

ANNOTATIONS = 25_000
"""`benchmarks.migrations` migrates 100,000 and 1,000,000."""
MEGABYTES = 290
"""These rows take 75 as tuples and 200 or more as objects; migrating them takes 170 to 231."""
FEW = 500
POSTGRESQL = pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.thorough])
BOTH = pytest.mark.parametrize("kind", ["sqlite", POSTGRESQL])
AGAIN = (
    "INSERT INTO annotator_assignment "
    "(id, position, status, created_at, batch_id, image_id, annotator_id, pass_no) "
    "SELECT 9999, 9999, 'open', created_at, batch_id, image_id, annotator_id, {} "
    "FROM annotator_assignment WHERE id = 3"
)
REFUSED = (
    "UPDATE annotator_assignment SET purpose = 'fun' WHERE id = 3",
    "UPDATE annotator_assignment SET drawn = 'twice' WHERE id = 3",
    "UPDATE annotator_assignment SET pass_no = NULL WHERE id = 3",
    # The same image for the same person in the same pass.
    AGAIN.format(0),
)


@pytest.mark.thorough
@BOTH
def test_every_old_column_of_every_row_is_as_it_was(kind: str) -> None:
    """Compared by `checked`, which raises; so are the drawings that 0018 fills in."""
    found = checked(kind, ANNOTATIONS)
    assert found.megabytes < MEGABYTES


@pytest.mark.slow  # three processes that migrate
@pytest.mark.thorough
@BOTH
def test_whoever_is_stopped_begins_again(kind: str) -> None:
    """Stopped after the last statement, before it was written down: all of 0018 is done once more."""
    with empty(kind) as database:
        database.migrate("annotator", EARLIER)
        fill(database, FEW)
        columns = database.columns()
        before = database.digests(columns)
        rules = []
        for _ in range(2):
            # Only these begin again: a later migration adds its columns once, in one transaction.
            database.migrate("annotator", "0019_labels")
            assert database.digests(columns) == before
            assert drawn_in(database) == {"random": shared_of(FEW), "single": FEW - shared_of(FEW)}
            rules.append(rules_of(database))
            refuses_what_it_should(database)
            with database.connection() as held:
                later = "app = 'annotator' AND name >= '0018_drawn'"
                held.execute(f"DELETE FROM django_migrations WHERE {later}")
        assert rules[0] == rules[1]


def drawn_in(database: Database) -> dict[str, int]:
    return dict(database.rows("SELECT drawn, COUNT(*) FROM annotator_assignment GROUP BY drawn"))


def rules_of(database: Database) -> list[tuple[str, ...]]:
    """The names of the table's rules and indexes; on PostgreSQL every row was held against them."""
    query = "SELECT name FROM sqlite_master WHERE tbl_name = 'annotator_assignment'"
    if database.is_postgres:
        query = (
            "SELECT conname, convalidated::text FROM pg_constraint "
            "WHERE conrelid = 'annotator_assignment'::regclass UNION ALL "
            "SELECT indexrelid::regclass::text, indisvalid::text FROM pg_index "
            "WHERE indrelid = 'annotator_assignment'::regclass"
        )
    found = sorted(database.rows(query))
    assert not [row for row in found if row[1:] == ("false",)]
    return found


def refuses_what_it_should(database: Database) -> None:
    with database.connection() as held:
        for change in REFUSED:
            with pytest.raises((psycopg.IntegrityError, sqlite3.IntegrityError)):
                held.execute(change)
        held.execute("BEGIN")
        assert held.execute(AGAIN.format(1)).rowcount == 1
        held.execute("ROLLBACK")


@pytest.mark.thorough  # two processes that migrate; it tests the comparison
def test_a_byte_that_changed_is_found() -> None:
    with empty("sqlite") as database:
        database.migrate("annotator", EARLIER)
        fill(database, FEW)
        columns = database.columns()
        before = database.digests(columns)
        database.migrate()
        assert database.digests(columns) == before
        with database.connection() as held:
            held.execute("UPDATE annotator_annotation SET payload = payload || ' ' WHERE id = 7")
            held.execute("DELETE FROM annotator_event WHERE id = 11")
        after = database.digests(columns)
        changed = {table for table in before if after[table] != before[table]}
        assert changed == {"annotator_annotation", "annotator_event"}
