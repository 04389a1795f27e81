"""What comes next, how far one is, and what it costs to show, whatever the length of the queue."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from django.db import connection

from annotator.annotations.position import Position, position_before, with_places
from annotator.annotations.queue import first_open, next_assignment, queue_counts, queue_page
from annotator.models import Assignment, Membership
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def member() -> Membership:
    return make_member(make_project())


def position_of(assignment: Assignment) -> Position:
    return position_before(assignment, next(iter(first_open(assignment.annotator_id)), None))


def change(assignment: Assignment, status: str) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(status=status)


def test_lowest_batch_then_position(member: Membership) -> None:
    first, second = make_batch(member.project), make_batch(member.project)
    late = make_assignment(member, batch=second, position=1)
    two = make_assignment(member, batch=first, position=2)
    one = make_assignment(member, batch=first, position=1)
    order = []
    while (following := next_assignment(member)) is not None:
        order.append(following)
        change(following, "done")
    assert order == [one, two, late]
    assert list(queue_page(member)) == order


def test_imported_batches_are_counted_apart(member: Membership) -> None:
    imported = make_batch(member.project, prompt_seen="unknown")
    made = [make_assignment(member, batch=imported) for _ in range(3)]
    for each in made:
        change(each, "done")
    own = [make_assignment(member, batch=batch) for batch in [make_batch(member.project)] * 2]
    assert position_of(own[0]) == Position(1, 0, 2, None, own[1].pk)
    assert position_of(own[1]) == Position(2, 0, 2, own[0].pk, None)
    assert position_of(made[1]) == Position(2, 3, 3, made[0].pk, made[2].pk)
    placed = with_places(Assignment.objects.all())
    assert {row.pk: row.place for row in placed} == dict(  # type: ignore[attr-defined]
        zip([each.pk for each in [*made, *own]], [1, 2, 3, 1, 2], strict=True)
    )


def test_training_a_qualification_and_the_work_are_counted_apart(member: Membership) -> None:
    purposes = ["training", "training", "qualification", "work", "anchor", "norming"]
    batches = {purpose: make_batch(member.project) for purpose in ("training", "qualification", "work")}
    made = [
        make_assignment(member, batch=batches.get(purpose, batches["work"]), purpose=purpose)
        for purpose in purposes
    ]
    for each in made[:4]:
        change(each, "done")
    found = [position_of(each) for each in made]
    assert [(one.place, one.done, one.total) for one in found] == [
        *[(1, 2, 2), (2, 2, 2)],
        (1, 1, 1),
        *[(1, 1, 3), (2, 1, 3), (3, 1, 3)],
    ]
    assert found[1].after == made[2].pk
    placed = with_places(Assignment.objects.order_by("pk"))
    assert [row.place for row in placed] == [1, 2, 1, 1, 2, 3]  # type: ignore[attr-defined]


@pytest.mark.parametrize("status", ["open", "closed"])
def test_only_an_open_batch_gives_images(member: Membership, status: str) -> None:
    row = make_assignment(member, batch=make_batch(member.project, status=status))
    assert next_assignment(member) == (row if status == "open" else None)
    assert len(queue_counts(member)) == len(queue_page(member)) == 1


def counted(assignment: Assignment, queue: list[Assignment]) -> Position:
    """The slow way: the whole queue in the person's order."""
    closed = [each for each in queue if each.status != Assignment.Status.OPEN]
    place = queue.index(assignment)
    before = queue[place - 1].pk if place else None
    after = queue[place + 1].pk if place + 1 < len(queue) else None
    return Position(place=place + 1, done=len(closed), total=len(queue), before=before, after=after)


def fill(member: Membership, lengths: list[int]) -> None:
    """Batches of the given lengths; the images are shared, nobody is asked twice in a batch."""
    images = [make_image(member.project) for _ in range(max(lengths))]
    for length in lengths:
        batch = make_batch(member.project)
        for image in images[:length]:
            make_assignment(member, batch=batch, image=image)


@pytest.mark.parametrize("seed", range(12))
def test_places_progress_and_neighbours_agree_with_counting(seed: int) -> None:
    chance = random.Random(seed)
    project = make_project()
    member, other = make_member(project), make_member(project)
    fill(member, [chance.randint(0, 5) for _ in range(3)] + [1])
    fill(other, [3])
    elsewhere = make_member(make_project(), user=member.user, code="elsewhere")
    fill(elsewhere, [2])
    # Sometimes everything is open, sometimes everything is closed.
    share = chance.choice([0, 0.3, 0.7, 1])
    for each in Assignment.objects.all():
        if chance.random() < share:
            each.status = chance.choice(["done", "skipped"])
            each.save()
    queue = list(Assignment.objects.filter(annotator=member).order_by("batch_id", "position"))
    for each in queue:
        assert position_of(each) == counted(each, queue)
    still_open = [each for each in queue if each.status == "open"]
    assert first_open(member.pk) == still_open[:2]
    assert next_assignment(member) == (still_open[0] if still_open else None)


PEOPLE, EACH = 10, 4_000
MOST_READ = 40
"""Rows; about eight for each of the two first open images and for each batch around the place."""


@pytest.fixture
def busy() -> Membership:
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


@pytest.mark.postgres
@pytest.mark.parametrize("plans", ["force_custom_plan", "force_generic_plan"])
def test_reading_does_not_grow_with_the_queue_or_the_batch(busy: Membership, plans: str) -> None:
    """Prepared statements get a generic plan once PostgreSQL finds it cheaper, whoever asks then.

    So the status must be a column of the index: the condition of a partial one could not be proven.
    """
    asked: list[tuple[str, list[Any]]] = []

    def ask(execute: Any, sql: str, params: list[Any], many: bool, context: Any) -> Any:
        asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(ask):
        opened = first_open(busy.pk)
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
