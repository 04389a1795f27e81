"""Leads and annotators at the same moment: exactly one outcome, nothing lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.saving import BatchClosed, submit_annotation
from annotator.annotations.skipping import skip_assignment
from annotator.batches import releases
from annotator.batches.assignments import InvalidBatch
from annotator.batches.closing import close_batch
from annotator.batches.releases import NotAsPreviewed, planned_on, release_plan
from annotator.models import Annotation, Assignment, Batch, Event, Plan, Project
from tests.annotator.acting import LIMBS, person, save
from tests.annotator.planned import faults_in, make_study, plan_for, released
from tests.annotator.racing import race

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 3
CLICKS = 4


@pytest.fixture
def project() -> Project:
    return make_study("pilot", "ABCDE", generators=2, prompts=2)


def batches(outcomes: list[Any]) -> list[Batch]:
    return [outcome for outcome in outcomes if isinstance(outcome, Batch)]


@pytest.mark.parametrize("piece", [releases.CHUNK, 3])
def test_a_double_click_is_one_batch(project: Project, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the plan is stored in pieces: all requests work on one batch, none twice on a row."""
    monkeypatch.setattr(releases, "CHUNK", piece)
    for number in range(ROUNDS):
        name, plan, key = f"batch {number}", plan_for(project, "ABCD"), uuid4()
        confirm = partial(
            release_plan, project=project, name=name, plan=plan, request_key=key, basis=planned_on(project)
        )
        outcomes = race([confirm] * CLICKS)
        assert {batch.pk for batch in batches(outcomes)} == {Batch.objects.get(name=name).pk}
        assert len(batches(outcomes)) == CLICKS
        assert faults_in(batches(outcomes)[0]) == []
    assert Plan.objects.count() == Batch.objects.count() == ROUNDS
    assert Event.objects.filter(verb="batch_released").count() == ROUNDS
    assert set(Batch.objects.values_list("status", flat=True)) == {"open"}


@pytest.mark.parametrize("names", [("one", "other"), ("same", "same")])
def test_of_two_leads_who_confirm_at_once_one_wins(project: Project, names: tuple[str, str]) -> None:
    """Both saw the images as not given to anybody; they must not be given out twice."""
    basis, plan = planned_on(project), plan_for(project, "ABCD", unassigned=True)
    outcomes = race(
        [
            partial(release_plan, project=project, name=name, plan=plan, request_key=uuid4(), basis=basis)
            for name in names
        ]
    )
    assert len(batches(outcomes)) == 1
    refused = next(outcome for outcome in outcomes if not isinstance(outcome, Batch))
    assert isinstance(refused, NotAsPreviewed)
    assert (Batch.objects.count(), Plan.objects.count()) == (1, 1)
    assert Assignment.objects.count() == len(plan.placements)


def test_of_two_plans_of_one_name_one_wins(project: Project) -> None:
    plans = [plan_for(project, "ABCD", seed=seed) for seed in (1, 2)]
    jobs: list[Callable[[], Any]] = [
        partial(release_plan, project=project, name="same", plan=plan) for plan in plans
    ]
    outcomes = race(jobs)
    assert len(batches(outcomes)) == 1
    assert [type(outcome) for outcome in outcomes if not isinstance(outcome, Batch)] == [InvalidBatch]


def loaded(pk: int) -> Assignment:
    return Assignment.objects.select_related("batch__project", "annotator__user").get(pk=pk)


def submitting(pk: int, replaces: int) -> Annotation:
    assignment = loaded(pk)
    return submit_annotation(
        assignment=assignment,
        actor=person(assignment),
        payload=LIMBS,
        replaces=replaces,
        request_key=uuid4(),
    )


def skipping(pk: int, replaces: int) -> Assignment:
    assignment = loaded(pk)
    return skip_assignment(
        assignment=assignment,
        actor=person(assignment),
        reason="broken",
        replaces=replaces,
        request_key=uuid4(),
    )


@pytest.mark.few(2)
@pytest.mark.parametrize("act", [submitting, skipping])
@pytest.mark.parametrize("begun", [True, False])
def test_what_is_sent_while_the_batch_closes_counts_or_is_refused(
    project: Project, act: Callable[[int, int], Any], begun: bool
) -> None:
    for number in range(ROUNDS):
        batch = released(project, "ABCD", name=f"batch {number}")
        own = list(batch.assignments.select_related("batch__project", "annotator__user")[:4])
        for assignment in own if begun else []:
            save(assignment)
        jobs: list[Callable[[], Any]] = [partial(act, assignment.pk, int(begun)) for assignment in own]
        jobs.append(partial(close_batch, batch=batch, reason="over", actor=None))
        *sent, closed = race(jobs)
        assert isinstance(closed, Batch)
        closing = Event.objects.get(verb="batch_closed", data__batch=batch.pk).pk
        for assignment, outcome in zip(own, sent, strict=True):
            done = loaded(assignment.pk).status != "open"
            assert done is not isinstance(outcome, BatchClosed), outcome
            if done:
                # Whatever counts was written before the batch was closed.
                acted = Event.objects.filter(assignment=assignment, verb__in=("submitted", "skipped"))
                assert acted.get().pk < closing
