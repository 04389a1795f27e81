"""What PostgreSQL reads for the next image of a long queue in a large batch: the same as of a short one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from annotator.annotations.position import position_before
from annotator.annotations.queue import first_open
from annotator.models import Assignment, Membership
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

PEOPLE, EACH = 10, 4_000
MOST_READ = 40
"""Rows; about eight for each of the two first open images and for each batch around the place."""


@pytest.fixture
def member() -> Membership:
    """Somebody in the middle of a queue of thousands, as everybody else in the batch is."""
    if connection.vendor != "postgresql":
        pytest.skip("The plans of PostgreSQL")
    with connection.cursor() as cursor:
        # A site's tables are vacuumed; thousands of cases before this one have left dead rows and pages.
        cursor.execute("CLUSTER annotator_assignment USING annotator_assignment_pkey")
    project = make_project()
    people, batch, image = (
        [make_member(project) for _ in range(PEOPLE)],
        make_batch(project),
        make_image(project),
    )
    make_assignment(people[0], batch=batch, image=image, position=1)
    with connection.cursor() as cursor:
        columns = "batch_id, image_id, purpose, drawn, created_at"
        cursor.execute(
            f"""INSERT INTO annotator_assignment ({columns}, annotator_id, position, pass_no, status)
            SELECT {columns}, m, q, q, CASE WHEN q < %s THEN 'done' ELSE 'open' END
            FROM annotator_assignment, unnest(%s::bigint[]) m, generate_series(2, %s) q""",
            [EACH // 2, [person.pk for person in people], EACH],
        )
        cursor.execute("ANALYZE annotator_assignment, annotator_batch")
    Assignment.objects.filter(position=1).update(status="done")
    return people[PEOPLE // 2]


@pytest.mark.parametrize("plans", ["force_custom_plan", "force_generic_plan"])
def test_reading_does_not_grow_with_the_queue_or_the_batch(member: Membership, plans: str) -> None:
    """Prepared statements get a generic plan once PostgreSQL finds it cheaper, whoever asks then.

    So the status must be a column of the index: the condition of a partial one could not be proven.
    """
    asked: list[tuple[str, list[Any]]] = []

    def ask(execute: Any, sql: str, params: list[Any], many: bool, context: Any) -> Any:
        asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(ask):
        opened = first_open(member.pk)
        assert position_before(opened[0], opened[0]).after == opened[1].pk
    assert len(asked) == 2
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL plan_cache_mode = {plans}")
        for place, (sql, params) in enumerate(asked):
            numbered = sql % tuple(f"${number}" for number in range(1, len(params) + 1))
            kinds = ", ".join("bigint" if isinstance(value, int) else "text" for value in params)
            cursor.execute(f"PREPARE q{place} ({kinds}) AS {numbered}")
            values = ", ".join(["%s"] * len(params))
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE q{place} ({values})", params)
            [(plan,)] = cursor.fetchall()
            [explained] = json.loads(plan) if isinstance(plan, str) else plan
            assert _read(explained["Plan"]) <= MOST_READ, json.dumps(explained, indent=1)
            cursor.execute(f"DEALLOCATE q{place}")


def _read(node: dict[str, Any]) -> int:
    """Return the rows that the scans of a plan have read, kept or not."""
    own = (
        node["Actual Rows"]
        + node.get("Rows Removed by Filter", 0)
        + node.get("Rows Removed by Index Recheck", 0)
    )
    scanned = own * node["Actual Loops"] if "Scan" in node["Node Type"] else 0
    return int(scanned) + sum(_read(below) for below in node.get("Plans", ()))
