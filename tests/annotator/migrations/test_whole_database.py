"""A database of an earlier version: after the migrations every old byte of it is there."""

from __future__ import annotations

import pytest

from benchmarks.migrations.comparing import checked
from benchmarks.migrations.database import empty
from benchmarks.migrations.rows import EARLIER, fill

ANNOTATIONS = 100_000
MEGABYTES = 400
"""Far below what these rows take in memory; the migrations of an empty database take 130."""


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_every_old_column_of_every_row_is_as_it_was(kind: str) -> None:
    """Compared by `checked`, which raises; so are the drawings that 0018 fills in."""
    found = checked(kind, ANNOTATIONS)
    assert found.megabytes < MEGABYTES


@pytest.mark.slow  # two processes that migrate
def test_a_byte_that_changed_is_found() -> None:
    with empty("sqlite") as database:
        database.migrate("annotator", EARLIER)
        fill(database, 500)
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
