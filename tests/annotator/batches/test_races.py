"""Races over batches: releases, closing, changes of people, anchors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from analysis.data.quality import anchors_of as compared_with_anchors
from annotator.batches.closing import close_batch
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.batches.releases import NotAsPreviewed, planned_on
from annotator.models import Annotation, Assignment, Batch, Event, Plan, Project, Reference, User
from annotator.records.project_deletion import DeletionRefused
from annotator.training.references import retire_reference
from tests.annotator.acting import delete_with_all, fresh, save, skip, submit
from tests.annotator.batches.test_checks import asked, refer, release, without_references
from tests.annotator.planned import faults_in, make_study, people_of, plan_for, release_plan, released
from tests.annotator.racing import race
from tests.factories import LEAD, make_image, make_member, make_payload, user_of

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 3
CLICKS = 4


@pytest.fixture
def project() -> Project:
    return make_study("pilot", "ABCDE", generators=2, prompts=2)


def batches(outcomes: list[Any]) -> list[Batch]:
    return [outcome for outcome in outcomes if isinstance(outcome, Batch)]


def test_a_double_click_is_one_batch(project: Project) -> None:
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


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "act",
    [lambda pk, version: submit(fresh(pk), replaces=version), lambda pk, version: skip(fresh(pk), version)],
)
@pytest.mark.parametrize("begun", [True, False])
def test_submissions_at_closing(project: Project, act: Callable[[int, int], Any], begun: bool) -> None:
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
            done = fresh(assignment.pk).status != "open"
            assert done is not (getattr(outcome, "code", "") == "closed"), outcome
            if done:
                # Whatever counts was written before the batch was closed.
                acted = Event.objects.filter(assignment=assignment, verb__in=("submitted", "skipped"))
                assert acted.get().pk < closing


@pytest.fixture
def batch(transactional_db: None) -> Batch:
    """Eight images of A to C, and two anchors of each."""
    project = make_study("pilot", "ABC", generators=2, prompts=6)
    refer([make_image(project, generator="generator-0", prompt="reference") for _ in range(2)])
    make_member(project, LEAD, code="lead")
    wanted = asked(project, "ABC", anchors=25, repeats=0, overlap=0, selection=without_references(project))
    made = release(project, wanted)
    assert faults_in(made) == []
    return made


def anchors_of(batch: Batch, code: str) -> list[Assignment]:
    """The same images for everybody, whatever their places."""
    held = batch.assignments.filter(annotator__code=code, purpose="anchor", position__isnull=False)
    return list(held.order_by("image"))


def send(pk: int) -> Annotation:
    return submit(fresh(pk), make_payload([("missing.hands", "1/3b")]))


@pytest.mark.databases
@pytest.mark.parametrize("_round", range(3))
def test_somebody_leaves_with_anchors_open(batch: Batch, _round: int) -> None:
    """Anchors sent before count for whoever left; the others are withdrawn. Nobody else's change."""
    mine, kept = anchors_of(batch, "B"), [row.pk for code in "AC" for row in anchors_of(batch, code)]
    send(mine[0].pk)
    people = people_of(batch.project, "B")
    outcome = outcome_of(propose_people_change(batch=batch, leaving=people))
    leave = partial(
        apply_people_change, batch=batch, leaving=people, outcome=outcome, reason="Left.", actor=None
    )
    jobs: list[Callable[[], Any]] = [partial(send, mine[1].pk), leave]
    sent, left = race(jobs)
    row = Assignment.objects.get(pk=mine[1].pk)
    if isinstance(sent, Annotation):
        # The change was refused as no longer what was previewed, or came after and leaves what is done.
        assert row.status == Assignment.Status.DONE
    else:
        assert getattr(sent, "code", "") == "withdrawn", sent
        assert isinstance(left, Plan), left
        assert (row.status, row.position) == (Assignment.Status.WITHDRAWN, None)
    assert mine[0].pk in {each.pk for each in anchors_of(batch, "B")}
    assert [each.pk for code in "AC" for each in anchors_of(batch, code)] == kept
    for code in "ABC":
        places = batch.assignments.filter(annotator__code=code, position__isnull=False)
        assert len(set(places.values_list("position", flat=True))) == places.count()
    if isinstance(left, Plan):
        assert faults_in(batch) == []


@pytest.mark.databases
@pytest.mark.parametrize("_round", range(3))
def test_a_reference_goes_while_its_anchor_is_submitted_by_all(batch: Batch, _round: int) -> None:
    """Nothing sent is lost; nobody is compared with a retired reference, nor is its image deleted."""
    rows = [anchors_of(batch, code)[0] for code in "ABC"]
    lead, image = user_of(batch.project.memberships.get(code="lead")), rows[0].image
    assert {row.image for row in rows} == {image}
    reference = Reference.objects.get(image=image)

    def retire() -> Any:
        return retire_reference(
            reference=Reference.objects.get(pk=reference.pk), actor=User.objects.get(pk=lead.pk)
        )

    jobs: list[Callable[[], Any]] = [*(partial(send, row.pk) for row in rows), retire]
    outcomes = race(jobs)
    assert [type(each).__name__ for each in outcomes[:3]] == ["Annotation"] * 3, outcomes
    reference.refresh_from_db()
    assert reference.status == Reference.Status.RETIRED
    assert compared_with_anchors(batch.project, "anatomy") == {}
    other = anchors_of(batch, "A")[1]
    send(other.pk)
    (pairs,) = compared_with_anchors(batch.project, "anatomy").values()
    assert [pair.image for pair in pairs] == [other.image_id]
    with pytest.raises(DeletionRefused):
        delete_with_all(other.image, lead)
