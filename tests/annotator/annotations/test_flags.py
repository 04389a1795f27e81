"""A flag of an annotation is a question in the leads' list, and follows the annotation."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.questions import resolve
from annotator.models import Assignment, Question
from tests.annotator.acting import LIMBS, reopen, save, submit
from tests.annotator.asking import answered
from tests.factories import LEAD, make_assignment, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


def flagged(reason: str = "ambiguous", note: str = "Left hand?") -> dict[str, Any]:
    return make_payload(flag={"reason": reason, "note": note})


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment(make_member(make_project("pilot"), code="ada"))


def flag() -> tuple[str, str, str]:
    question = Question.objects.get()
    assert question.kind == "flag"
    return question.state, question.reason, question.text


def test_a_flag_opens_changes_and_resolves_its_question(assignment: Assignment) -> None:
    save(assignment, LIMBS, 0)
    assert not Question.objects.exists()
    save(assignment, flagged(), 1)
    assert flag() == ("open", "ambiguous", "Left hand?")
    since = Question.objects.get().open_since
    save(assignment, flagged(note="Left hand or right?"), 2)
    assert flag() == ("open", "ambiguous", "Left hand or right?")
    assert Question.objects.get().open_since == since
    submit(assignment, LIMBS, 3)
    assert flag()[0] == "resolved"
    reopen(assignment, 4)
    assert flag()[0] == "resolved"
    save(assignment, flagged("broken", ""), 5)
    assert flag() == ("open", "broken", "")
    assert Question.objects.get().open_since > since
    assert Question.objects.get().version == 4


def test_what_a_lead_resolved_stays_resolved_until_the_flag_changes(assignment: Assignment) -> None:
    lead = make_member(assignment.batch.project, LEAD)
    save(assignment, flagged(), 0)
    question = answered(Question.objects.get(), lead)
    assert lead.user is not None
    resolve(question=question, actor=lead.user, replaces=question.version, request_key=uuid4())
    submit(assignment, flagged() | {"note": "A note."}, 1)
    assert flag()[0] == "resolved"
    assert Question.objects.get().replies.count() == 1
