"""Standings that change at the same moment: one outcome, an Event for each change, nothing lost."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.versioned_changes import Ended
from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.releases import NeededStanding, NotQualified, planned_on, release_plan
from annotator.models import Annotation, Attempt, Batch, Event, Standing
from annotator.people.standings import waive
from annotator.training.qualification_attempts import AttemptRefused, begin_next, conclude
from tests.annotator.racing import race
from tests.annotator.training.making import Course, submit
from tests.annotator.training.qualifying import WRONG, finish, make_exam, release, rows_of
from tests.factories import LEAD, REFERENCE, make_image, make_member

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]

ROUNDS = 3


@pytest.fixture
def exam(transactional_db: None) -> Course:
    return make_exam()


def test_of_two_exemptions_at_once_one_is_made(exam: Course) -> None:
    other = make_member(exam.project, LEAD, code="other")
    jobs: list[Any] = [
        partial(
            waive,
            project=exam.project,
            protocol="anatomy",
            members=[exam.ada.pk],
            reason=f"says {lead.code}",
            actor=lead.user,  # type: ignore[arg-type]
        )
        for lead in (exam.lead, other)
    ]
    assert sorted(map(str, race(jobs))) == ["0", "1"]
    held = Standing.objects.get()
    assert held.changed_by is not None
    assert held.reason == f"says {held.changed_by.code}"
    assert Event.objects.filter(verb="standing_changed").count() == 1


def test_an_attempt_ends_once(exam: Course) -> None:
    batch = release(exam)
    for row in rows_of(batch, exam.ada):
        submit(row, REFERENCE)
    outcomes = race([partial(conclude, batch, exam.ada)] * 3)
    assert sum(isinstance(outcome, Attempt) for outcome in outcomes) == 1
    assert outcomes.count(None) == 2
    assert Event.objects.filter(verb="attempt_ended").count() == 1


def test_a_correction_comes_before_the_end_or_is_refused(exam: Course) -> None:
    for number in range(ROUNDS):
        batch = release(exam, name=f"round {number}")
        rows = rows_of(batch, exam.ada)
        for row in rows:
            submit(row, REFERENCE)
        correct = partial(
            reopen_annotation,
            assignment=rows[0],
            actor=exam.ada.user,  # type: ignore[arg-type]
            replaces=1,
            request_key=uuid4(),
        )
        jobs: list[Any] = [correct, partial(conclude, batch, exam.ada)]
        corrected, ended = race(jobs)
        if isinstance(ended, Attempt):
            assert isinstance(corrected, Ended)
            assert Annotation.objects.get(assignment=rows[0]).status == "submitted"
        else:
            assert ended is None
            assert isinstance(corrected, Annotation)
            assert not Attempt.objects.filter(qualification__batch=batch, ended_at__isnull=False).exists()


def test_a_qualification_ends_while_work_is_released(exam: Course) -> None:
    work = [make_image(exam.project) for _ in range(2)]
    batch = release(exam)
    for row in rows_of(batch, exam.ada):
        submit(row, REFERENCE)
    design = design_of(
        project=exam.project,
        images=exam.project.images.filter(pk__in=[image.pk for image in work]),
        people=[exam.ada],
        overlap=0,
        seed=7,
    )
    plan = make_plan(design)
    give = partial(
        release_plan,
        project=exam.project,
        name="work",
        plan=plan,
        basis=planned_on(exam.project),
        standing=NeededStanding(),
        request_key=uuid4(),
    )
    jobs: list[Any] = [give, partial(conclude, batch, exam.ada)]
    released, ended = race(jobs)
    assert isinstance(ended, Attempt)
    assert Standing.objects.get(membership=exam.ada).state == "qualified"
    if not isinstance(released, Batch):
        assert isinstance(released, NotQualified)
        assert not Batch.objects.filter(name="work").exists()
        released = give()
    assert released.needs_standing
    assert released.assignments.count() == len(work)


def test_of_two_clicks_one_begins_the_next_attempt(exam: Course) -> None:
    batch = release(exam, waiting_hours=0)
    finish(batch, exam.ada, WRONG)
    outcomes = race([partial(begin_next, batch, exam.ada, exam.ada.user)] * 2)
    [refused] = [outcome for outcome in outcomes if not isinstance(outcome, Attempt)]
    assert isinstance(refused, AttemptRefused)
    assert refused.code == "running"
    assert Attempt.objects.count() == 2
    assert batch.assignments.count() == 4
