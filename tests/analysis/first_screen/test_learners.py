"""Annotators in training: found without reading the assignments of work."""

from __future__ import annotations

import pytest

from analysis.first_screen.learners import Learner, learners_of
from annotator.models import Assignment
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project
from tests.support.instructions import instructions

pytestmark = pytest.mark.django_db


@pytest.mark.databases  # counted on SQLite alone
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

    def found() -> None:
        assert learners_of(project, "anatomy", ()) == [Learner("ada", "training", 0, 1)]

    few = instructions(found)
    label(range(20, 100))
    assert instructions(found) == few > 0
