"""Keep ids that Events still refer to from being reused.

A deleted project has no row, so a database that continues from its largest id would give the next project the
deleted one's id and history.
"""

from __future__ import annotations

from typing import Final

from django.db import connection
from django.db.models import Max, Model

from annotator.models import Assignment, Event, Project

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
