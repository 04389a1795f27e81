"""Annotators in training: found without reading the assignments of work."""

from __future__ import annotations

import pytest
from django.db import connection

from analysis.first_screen.learners import Learner, learners_of
from annotator.models import Assignment, Project
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


def instructions(project: Project) -> int:
    """Return how many instructions SQLite executes to find the learners."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # statistics hide how few assignments are for learning
    executed: list[None] = []
    connection.connection.set_progress_handler(lambda: executed.append(None), 1)
    try:
        assert learners_of(project, "anatomy", ()) == [Learner("ada", "training", 0, 1)]
    finally:
        connection.connection.set_progress_handler(None, 1)
    return len(executed)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL does not count what it executes")
def test_work_is_not_read() -> None:
    project = make_project()
    people = [make_member(project, code=code) for code in ("ada", "bob", "eve", "kim", "sam")]
    work, training = (make_batch(project, name=name) for name in ("work", "training"))
    image = make_image(project)
    make_assignment(people[0], image=image, batch=training, purpose="training")

    def label(passes: range) -> None:
        Assignment.objects.bulk_create(
            Assignment(batch=work, image=image, annotator=one, position=pass_no, pass_no=pass_no)
            for one in people
            for pass_no in passes
        )

    label(range(1, 20))
    few = instructions(project)
    label(range(20, 100))
    assert instructions(project) == few > 0
