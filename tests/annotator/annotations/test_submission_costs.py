"""What a submission reads and writes: rows of its image, whatever else the site has."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from uuid import UUID

import pytest
from django.db import connection, transaction

from annotator.annotations.saving import submit_annotation
from annotator.models import Assignment, User
from tests.analysis.factories import make_submitted
from tests.factories import (
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_payload,
    make_project,
    user_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
PER_MEMBER = 25_000
MOST_READ, MOST_WRITTEN = 150, 15
_KEYS = count(1)


def elsewhere(members: int) -> None:
    """PER_MEMBER submitted annotations of another project for each member, and statistics on PostgreSQL."""
    project = make_project()
    batch, image = make_batch(project), make_image(project)
    people = [make_member(project) for _ in range(members)]
    first = make_submitted(people[0], image=image, batch=batch).assignment
    series = "WITH RECURSIVE k(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM k WHERE n < %s)"
    row = "batch_id, image_id, status, purpose, drawn, created_at"
    said = "payload, status, version, warnings, ratings, has_unread_terms, capture, flagged"
    said = f"{said}, created_at, saved_at, submitted_at"
    with connection.cursor() as cursor:
        for member in people:
            cursor.execute(
                f"INSERT INTO annotator_assignment ({row}, annotator_id, position, pass_no) {series} "
                f"SELECT {row}, %s, n, n FROM annotator_assignment, k WHERE id = %s",
                [PER_MEMBER, member.pk, first.pk],
            )
        cursor.execute(
            f"INSERT INTO annotator_annotation ({said}, assignment_id) "
            f"SELECT {', '.join(f'a.{name.strip()}' for name in said.split(','))}, b.id "
            "FROM annotator_annotation a, annotator_assignment b "
            "WHERE a.assignment_id = %s AND b.batch_id = %s AND b.id <> %s",
            [first.pk, batch.pk, first.pk],
        )
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE annotator_annotation, annotator_assignment, annotator_image")
    assert batch.assignments.count() == members * (PER_MEMBER - 1) + 1


def annotated_by(number: int) -> tuple[Assignment, User]:
    """An image that so many people have annotated, and the assignment of one more."""
    project = make_project()
    image, batch = make_image(project), make_batch(project)
    for _ in range(number):
        make_submitted(make_member(project), [("missing.limbs", "1/4c")], image=image, batch=batch)
    member = make_member(project)
    row = make_assignment(member, image=image, batch=batch)
    # The summaries are there, as after every submission.
    submitting(make_assignment(make_member(project), image=image, batch=batch), user_of(member))()
    return row, user_of(member)


def submitting(row: Assignment, user: User) -> Callable[[], None]:
    def submit() -> None:
        submit_annotation(
            assignment=Assignment.objects.select_related("batch__project", "image", "annotator").get(
                pk=row.pk
            ),
            actor=user,
            payload=make_payload([("missing.hands", "1/3b")]),
            replaces=0,
            request_key=UUID(int=next(_KEYS)),
        )

    return submit


def undone(act: Callable[[], None]) -> Callable[[], None]:
    def do() -> None:
        with transaction.atomic():
            act()
            transaction.set_rollback(True)

    return do


def touched(act: Callable[[], None]) -> tuple[int, int]:
    """Return how many rows PostgreSQL reads and writes for this, kept or not."""
    counts = []
    for _ in range(2):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), "
                "sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables"
            )
            counts.append([int(each) for each in cursor.fetchone()])
        if len(counts) == 1:
            act()
    return counts[1][0] - counts[0][0], counts[1][1] - counts[0][1]


def instructions(act: Callable[[], None]) -> int:
    """Return how many instructions SQLite executes for this, which does not vary as times do."""
    executed: list[None] = []
    connection.connection.set_progress_handler(lambda: executed.append(None), 1)
    act()
    connection.connection.set_progress_handler(None, 1)
    return len(executed)


def test_a_submission_reads_nothing_of_other_projects() -> None:
    """Beside 100,000 annotations, as beside none."""
    row, user = annotated_by(3)
    act = undone(submitting(row, user))
    act()
    if connection.vendor == "postgresql":
        elsewhere(4)
        read, _ = touched(submitting(row, user))
        assert read <= MOST_READ
        return
    # Without statistics, as on a site that nobody has analysed.
    few = instructions(act)
    elsewhere(4)
    # Times and keys differ from run to run.
    assert abs(instructions(act) - few) < 0.01 * few


@pytest.mark.parametrize("people", [0, 3, 7, 42])
def test_a_submission_writes_few_rows_however_many_have_annotated_the_image(people: int) -> None:
    row, user = annotated_by(people)
    if connection.vendor == "postgresql":
        _, written = touched(submitting(row, user))
    else:
        before = connection.connection.total_changes
        submitting(row, user)()
        written = connection.connection.total_changes - before
    assert 4 < written <= MOST_WRITTEN
