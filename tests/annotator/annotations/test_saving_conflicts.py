"""Stale versions and repeated requests."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.versioned_changes import KeyReused, StaleVersion
from annotator.models import Annotation, Assignment, Event
from scoring.anatomy.protocol import ANATOMY
from tests.annotator.acting import HANDS, LIMBS, reopen, save, status_of, submit, verbs
from tests.factories import make_assignment, make_member, make_payload

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("replaces", [0, 1, 3, -1, 2**31, 2**63, 2**70])
def test_a_stale_save_changes_nothing_and_gets_the_row(assignment: Assignment, replaces: int) -> None:
    save(assignment, LIMBS)
    save(assignment, make_payload([]), replaces=1)
    before = Annotation.objects.values().get()
    with pytest.raises(StaleVersion) as caught:
        save(assignment, HANDS, replaces=replaces)
    assert Annotation.objects.values().get() == before
    assert (caught.value.current.version, caught.value.current.payload) == (2, make_payload([]))
    assert caught.value.current.pk == before["id"]


def test_a_refused_answer_is_kept_in_the_log(assignment: Assignment) -> None:
    save(assignment, LIMBS)
    key = uuid4()
    for _ in range(2):
        with pytest.raises(StaleVersion):
            save(assignment, HANDS, replaces=0, key=key)
    event = Event.objects.get(verb="refused")
    assert event.data == {"asked": "draft_saved", "replaces": 0, "version": 1, "payload": HANDS}
    assert verbs(assignment) == ["draft_saved", "refused"]


def test_a_refused_answer_that_says_the_same_is_not_kept(assignment: Assignment) -> None:
    save(assignment, LIMBS)
    with pytest.raises(StaleVersion):
        save(assignment, LIMBS, replaces=0)
    assert verbs(assignment) == ["draft_saved"]


@pytest.mark.parametrize(
    ("limit", "most"), [("REFUSED_KEPT", 2), ("REFUSED_KEPT_BYTES", 2 * len(str(HANDS)) + 200)]
)
def test_of_many_refused_answers_the_log_keeps_the_first(
    assignment: Assignment, settings: Any, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    setattr(settings, limit, most)
    save(assignment, LIMBS)
    told = []
    for _ in range(4):
        with pytest.raises(StaleVersion) as caught:
            save(assignment, HANDS, replaces=0)
        told.append(caught.value.as_json().get("kept", True))
    assert told == [True, True, False, False]
    assert verbs(assignment) == ["draft_saved", "refused", "refused"]
    # What is no conflict is saved as ever, and tomorrow the log keeps more.
    assert save(assignment, HANDS, replaces=1).payload == HANDS
    monkeypatch.setattr("annotator.annotations.versioned_changes._DAY", timedelta(0))
    with pytest.raises(StaleVersion) as caught:
        save(assignment, LIMBS, replaces=0)
    assert caught.value.kept
    assert verbs(assignment) == ["draft_saved", "refused", "refused", "draft_saved", "refused"]


def test_the_limit_of_refused_answers_is_each_persons(assignment: Assignment, settings: Any) -> None:
    settings.REFUSED_KEPT = 1
    other = make_assignment(make_member(assignment.annotator.project), batch=assignment.batch)
    for one in (assignment, other):
        save(one, LIMBS)
        with pytest.raises(StaleVersion) as caught:
            save(one, HANDS, replaces=0)
        assert caught.value.kept


def test_a_refused_request_stays_refused_when_the_version_comes_to_fit(assignment: Assignment) -> None:
    save(assignment, LIMBS)
    key = uuid4()
    with pytest.raises(StaleVersion):
        save(assignment, HANDS, replaces=2, key=key)
    save(assignment, LIMBS, replaces=1)
    with pytest.raises(StaleVersion) as caught:
        save(assignment, HANDS, replaces=2, key=key)
    assert (caught.value.current.version, caught.value.current.payload) == (2, LIMBS)


def test_a_version_of_nothing_is_stale(assignment: Assignment) -> None:
    with pytest.raises(StaleVersion) as caught:
        save(assignment, HANDS, replaces=4)
    current = caught.value.current
    assert current._state.adding
    assert (current.version, current.payload) == (0, ANATOMY.empty())
    assert Annotation.objects.count() == 0


def test_a_repeated_save_gets_the_answer_of_the_first_time(assignment: Assignment) -> None:
    """With a newer version the writer would go on to replace what somebody else has written since."""
    key = uuid4()
    first = save(assignment, LIMBS, key=key)
    submit(assignment, HANDS, replaces=1)
    again = save(assignment, LIMBS, key=key)
    answers = [(a.version, a.status, a.payload, a.warnings, a.saved_at, a.ratings) for a in (first, again)]
    assert answers[0] == answers[1]
    assert Annotation.objects.get().payload == HANDS


def test_a_repeated_submit_gets_the_answer_of_the_first_time(assignment: Assignment) -> None:
    key = uuid4()
    first = submit(assignment, key=key)
    reopen(assignment, 1)
    save(assignment, HANDS, replaces=2)
    again = submit(assignment, key=key)
    assert (again.version, again.status, again.payload) == (1, "submitted", LIMBS)
    assert (again.submitted_at, again.ratings) == (first.submitted_at, first.ratings)
    assert status_of(assignment) == "open"


def test_a_key_belongs_to_one_answer(assignment: Assignment) -> None:
    """A form may be found again with Back and sent with other marks: "stored" would be a lie."""
    key = uuid4()
    save(assignment, LIMBS, key=key)
    with pytest.raises(KeyReused) as caught:
        save(assignment, HANDS, key=key)
    assert (caught.value.current.version, caught.value.current.payload) == (1, LIMBS)
    save(assignment, make_payload([]), replaces=1)
    with pytest.raises(KeyReused) as caught:
        save(assignment, HANDS, key=key)
    assert (caught.value.current.version, caught.value.current.payload) == (2, make_payload([]))


def test_a_repeated_reopening_is_one(assignment: Assignment) -> None:
    key = uuid4()
    submit(assignment)
    assert [reopen(assignment, 1, key=key).version for _ in range(2)] == [2, 2]
    assert verbs(assignment) == ["submitted", "reopened"]


def test_a_key_belongs_to_one_act(assignment: Assignment) -> None:
    """Answering a submission with "stored" because a draft had the same key would lose the submission."""
    key = uuid4()
    save(assignment, LIMBS, key=key)
    with pytest.raises(KeyReused) as caught:
        submit(assignment, LIMBS, replaces=1, key=key)
    assert (caught.value.current.version, caught.value.current.status) == (1, "draft")


def test_a_refused_key_belongs_to_one_act_too(assignment: Assignment) -> None:
    key = uuid4()
    save(assignment, LIMBS)
    with pytest.raises(StaleVersion):
        save(assignment, HANDS, key=key)
    with pytest.raises(KeyReused):
        submit(assignment, HANDS, replaces=1, key=key)


def test_the_same_key_may_serve_two_assignments(assignment: Assignment) -> None:
    key = uuid4()
    other = make_assignment(assignment.annotator)
    assert [save(each, key=key).version for each in (assignment, other)] == [1, 1]
