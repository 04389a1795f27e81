"""Closing an assignment without an answer, one act at a time and all at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.versioned_changes import AlreadySubmitted, KeyReused, StaleVersion
from annotator.models import Annotation, Assignment, Event
from scoring.payloads import FLAG_REASONS
from scoring.protocol import InvalidPayload
from tests.annotator.acting import LIMBS, fresh, reopen, resume, save, skip, status_of, submit, verbs
from tests.annotator.racing import race
from tests.factories import make_assignment, make_member, make_project

ROUNDS = 8


@pytest.mark.django_db
def test_a_note_that_turns_the_direction_of_reading(assignment: Assignment) -> None:
    with pytest.raises(InvalidPayload):
        skip(assignment, note="a\u202eb")
    assert status_of(assignment) == "open"


@pytest.mark.django_db
@pytest.mark.parametrize("reason", FLAG_REASONS)
def test_nobody_has_begun(assignment: Assignment, reason: str) -> None:
    assert skip(assignment, reason=reason).status == status_of(assignment) == "skipped"
    assert Event.objects.get().data == {"reason": reason, "note": "", "version": 0}
    assert not Annotation.objects.exists()


@pytest.mark.django_db
def test_a_reopened_answer_can_be_skipped_and_a_submitted_one_not(assignment: Assignment) -> None:
    submit(assignment)
    for act in (partial(skip, assignment, 1), partial(resume, assignment)):
        with pytest.raises(AlreadySubmitted) as caught:
            act()
        assert (caught.value.current.version, status_of(assignment)) == (1, "done")
    reopen(assignment, 1)
    skip(assignment, 2)
    assert (status_of(assignment), Annotation.objects.get().status) == ("skipped", "reopened")


@pytest.mark.django_db
@pytest.mark.parametrize("replaces", [0, 2, -1, 2**70])
def test_a_draft_that_was_not_seen_is_not_skipped(assignment: Assignment, replaces: int) -> None:
    save(assignment, LIMBS)
    with pytest.raises(StaleVersion) as caught:
        skip(assignment, replaces)
    assert (caught.value.current.payload, status_of(assignment)) == (LIMBS, "open")
    assert verbs(assignment) == ["draft_saved"]


@pytest.mark.django_db
def test_skipping_again_gives_another_reason(assignment: Assignment) -> None:
    skip(assignment, reason="broken")
    skip(assignment, reason="other", note="half of it is missing")
    assert verbs(assignment) == ["skipped", "skipped"]
    assert list(Event.objects.values_list("data__reason", flat=True)) == ["broken", "other"]


@pytest.mark.django_db
def test_a_repeated_skip_is_one_and_its_key_means_nothing_else(assignment: Assignment) -> None:
    key = uuid4()
    assert [skip(assignment, key=key).status for _ in range(2)] == ["skipped"] * 2
    with pytest.raises(KeyReused):
        skip(assignment, key=key, reason="broken")
    with pytest.raises(KeyReused):
        save(assignment, LIMBS, key=key)
    with pytest.raises(KeyReused):
        resume(assignment, key=key)
    assert verbs(assignment) == ["skipped"]


@pytest.mark.django_db
def test_a_repeated_skip_does_not_skip_again_what_was_taken_up(assignment: Assignment) -> None:
    key = uuid4()
    skip(assignment, key=key)
    resume(assignment)
    assert skip(assignment, key=key).status == "skipped"
    assert (status_of(assignment), verbs(assignment)) == ("open", ["skipped", "resumed"])


def _fresh(begun: bool) -> Assignment:
    assignment = make_assignment(make_member(make_project()))
    if begun:
        save(assignment, LIMBS)
    return fresh(assignment.pk)


def _save(pk: int, replaces: int) -> Annotation:
    return save(fresh(pk), LIMBS, replaces)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("begun", [True, False])
def test_one_skip_sent_eight_times_is_one(begun: bool) -> None:
    for _ in range(ROUNDS):
        assignment, key = _fresh(begun), uuid4()
        outcomes = race([partial(skip, assignment, int(begun), key)] * 8)
        assert [type(outcome) for outcome in outcomes] == [Assignment] * 8
        assert verbs(assignment).count("skipped") == 1
        assert status_of(assignment) == "skipped"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("begun", [True, False])
def test_skip_and_save_lose_nothing(begun: bool) -> None:
    for _ in range(ROUNDS):
        assignment = _fresh(begun)
        jobs: list[Callable[[], Any]] = [
            partial(skip, assignment, int(begun)),
            partial(_save, assignment.pk, int(begun)),
        ]
        skipped, saved = race(jobs)
        assert isinstance(saved, Annotation)
        assert isinstance(skipped, Assignment | StaleVersion)
        assert Annotation.objects.get(assignment=assignment).version == int(begun) + 1
        if isinstance(skipped, StaleVersion):
            assert status_of(assignment) == "open"


@pytest.mark.django_db(transaction=True)
def test_eight_people_taking_up_again_leave_one_event() -> None:
    assignment = _fresh(begun=False)
    skip(assignment)
    outcomes = race([partial(resume, assignment)] * 8)
    assert [type(outcome) for outcome in outcomes] == [Assignment] * 8
    assert (status_of(assignment), verbs(assignment)) == ("open", ["skipped", "resumed"])
