"""One leaves, one joins: finished work stays, drafts are kept, queues have no gaps."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from annotator.annotations.queue import next_assignment
from annotator.batches.assignments import InvalidBatch
from annotator.batches.closing import close_batch
from annotator.batches.people_changes import (
    ChangeRefused,
    apply_people_change,
    outcome_of,
    people_of_batch,
    propose_people_change,
)
from annotator.models import Annotation, Assignment, Batch, Event, Membership, Plan, Project, Standing, User
from annotator.people.standings import move
from tests.annotator.acting import LIMBS, delete_with_all, save, submit
from tests.annotator.planned import changed, faults_in, make_study, people_of, released
from tests.factories import LEAD, make_assignment, make_batch, make_image, make_member, make_user
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_study("pilot", "ABCDE")


@pytest.fixture
def batch(project: Project) -> Batch:
    return released(project, "ABCD")


def member(batch: Batch, code: str) -> Membership:
    return batch.project.memberships.get(code=code)


def in_queue(batch: Batch, code: str) -> list[Assignment]:
    held = Assignment.objects.filter(batch=batch, annotator__code=code, position__isnull=False)
    return list(held.select_related("batch__project", "annotator__user", "image").order_by("position"))


def test_one_leaves_and_everything_is_covered_again(batch: Batch) -> None:
    first, second, third, *_ = in_queue(batch, "B")
    submit(first)
    save(third)
    assert Assignment.objects.filter(pk=second.pk).update(status="skipped")
    before = {code: [each.pk for each in in_queue(batch, code)] for code in "ACD"}
    plan = changed(batch, leaving="B")
    assert in_queue(batch, "B") == [first, second]
    for code, queue in before.items():
        now = [each.pk for each in in_queue(batch, code)]
        kept = [pk for pk in queue if pk in now]
        assert now[: len(kept)] == kept
        # Exchanges for the balance's sake may be among them: which images these are differs by content.
        assert len(queue) - len(kept) <= 2
    loads = [len(in_queue(batch, code)) for code in "ACD"]
    assert max(loads) - min(loads) <= 1
    assert third in Assignment.objects.filter(annotator=member(batch, "B"), status="withdrawn")
    assert Annotation.objects.get(assignment=third).payload == LIMBS
    assert (plan.kind, plan.reason) == ("change", "B left the team")
    assert faults_in(batch) == []


def test_one_joins_and_gets_a_share(batch: Batch) -> None:
    submit(in_queue(batch, "A")[0])
    changed(batch, joining="E")
    loads = [len(in_queue(batch, code)) for code in "ABCDE"]
    assert loads == [6] * 5
    assert [one.code for one in people_of_batch(batch)] == list("ABCDE")
    assert next_assignment(member(batch, "E")) == in_queue(batch, "E")[0]
    assert faults_in(batch) == []


def test_what_comes_back_comes_back_with_its_draft(project: Project) -> None:
    """Only B can take E's images over: they were B's, and the draft goes on where it was."""
    batch = released(project, "AB", per_image=2, overlap=24)
    begun = in_queue(batch, "B")[3]
    save(begun)
    changed(batch, leaving="B", joining="E")
    changed(batch, leaving="E", joining="B")
    queue = in_queue(batch, "B")
    assert (len(queue), begun in queue) == (24, True)
    again = Assignment.objects.get(pk=begun.pk)
    assert (again.status, Annotation.objects.get(assignment=again).payload) == ("open", LIMBS)
    assert Assignment.objects.filter(batch=batch).count() == 72
    assert faults_in(batch) == []


def test_people_who_are_not_active_leave_with_the_others(batch: Batch) -> None:
    Membership.objects.filter(code="C").update(is_active=False)
    assert [one.code for one in people_of_batch(batch)] == list("ABD")
    changed(batch, joining="E")
    assert in_queue(batch, "C") == []
    assert faults_in(batch) == []


def test_a_deleted_image_that_was_imported_again_is_no_part_of_the_batch(batch: Batch) -> None:
    deleted = in_queue(batch, "B")[0].image
    delete_with_all(deleted)
    make_image(batch.project, sha256=deleted.sha256, generator=deleted.generator, prompt="prompt-0")
    changed(batch, leaving="B")
    assert faults_in(batch) == []


def knows(person: Membership, held: list[Assignment], purpose: str) -> set[str]:
    other = make_batch(person.project, name="other")
    for one in held:
        make_assignment(person, batch=other, image=one.image, purpose=purpose)
    return {one.image.sha256 for one in held}


@pytest.mark.parametrize("purpose", ["training", "norming", "anchor"])
@pytest.mark.parametrize(("who", "joining"), [("E", "E"), ("A", "")])
def test_nobody_is_given_what_they_know(project: Project, who: str, joining: str, purpose: str) -> None:
    """Of B's 6 images, E would get 6 and A 2; both know 5."""
    batch = released(project, overlap=0)
    known = knows(member(batch, who), in_queue(batch, "B")[:5], purpose)
    changed(batch, leaving="B", joining=joining)
    assert known.isdisjoint(held.image.sha256 for held in in_queue(batch, who))
    assert len(in_queue(batch, who)) == (6 if joining else 8)
    assert faults_in(batch) == []


@pytest.fixture
def actor(batch: Batch) -> User | None:
    Batch.objects.update(needs_standing=True)
    return make_member(batch.project, LEAD, code="lead").user


def test_who_joins_must_be_qualified(batch: Batch, actor: User) -> None:
    rows = list(Assignment.objects.values())
    with refused(InvalidBatch, "not-qualified"):
        changed(batch, leaving="B", joining="E", actor=actor)
    assert list(Assignment.objects.values()) == rows
    assert not Plan.objects.filter(kind="change").exists()
    move(member(batch, "E"), "anatomy", Standing.State.QUALIFIED, actor=None)
    changed(batch, leaving="B", joining="E", actor=actor)
    assert len(in_queue(batch, "E")) == 7


def test_a_draft_that_changes_no_outcome_is_no_reason(batch: Batch) -> None:
    leaving = people_of(batch.project, "B")
    seen = propose_people_change(batch=batch, leaving=leaving)
    save(in_queue(batch, "B")[0])
    assert outcome_of(propose_people_change(batch=batch, leaving=leaving)) == outcome_of(seen)
    apply_people_change(batch=batch, leaving=leaving, outcome=outcome_of(seen), reason="left", actor=None)
    assert in_queue(batch, "B") == []


def test_a_closed_batch_is_not_changed(batch: Batch) -> None:
    close_batch(batch=batch, reason="over", actor=None)
    with refused(ChangeRefused, "closed"):
        changed(batch, leaving="B")


def test_a_key_names_one_change(batch: Batch) -> None:
    key: UUID = uuid4()
    leaving = people_of(batch.project, "B")
    outcome = outcome_of(propose_people_change(batch=batch, leaving=leaving))
    asked: dict[str, Any] = {"outcome": outcome, "reason": "left", "actor": None, "request_key": key}
    first = apply_people_change(batch=batch, leaving=leaving, **asked)
    assert apply_people_change(batch=batch, leaving=leaving, **asked) == first
    assert Plan.objects.filter(kind="change").count() == 1
    other = released(batch.project, "ABCD", name="second", seed=9)
    with refused(ChangeRefused, "key-reused"):
        apply_people_change(batch=other, leaving=leaving, **asked)


def test_the_event_says_what_and_why(batch: Batch) -> None:
    actor = make_user("lead")
    plan = changed(batch, leaving="B", actor=actor, reason=" moved away ")
    event = Event.objects.get(verb="people_changed")
    gone = Assignment.objects.filter(status="withdrawn").count()
    assert (event.actor, event.project) == (actor, batch.project)
    moved = {"left": ["B"], "joined": [], "withdrawn": gone, "added": gone, "reason": "moved away"}
    assert event.data == {"batch": batch.pk, "name": "first", "plan": plan.pk, **moved}
