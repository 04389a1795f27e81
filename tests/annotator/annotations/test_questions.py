"""Threads on images: asked, answered, resolved, read and counted, and under real concurrency."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from annotator.annotations import questions
from annotator.annotations.questions import (
    QuestionRefused,
    answer,
    decision_text,
    open_count,
    own_questions,
    questions_of,
    reply,
    resolve,
    unread_for,
)
from annotator.models import Assignment, Event, Membership, Project, Question, Reply
from tests.annotator.acting import (
    LIMBS,
    answered,
    asked,
    delete_with_all,
    fresh,
    replied,
    save,
    submit,
    verbs,
)
from tests.annotator.acting import reopen as reopen_own
from tests.annotator.racing import race
from tests.factories import LEAD, make_assignment, make_member, make_payload, user_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(project: Project) -> Assignment:
    return make_assignment(make_member(project, code="ada"))


def state_of(question: Question) -> tuple[str, int]:
    question.refresh_from_db()
    return question.state, question.version


def code_of(act: Callable[[], object]) -> str:
    """The code with which something is refused."""
    with pytest.raises(QuestionRefused) as refused:
        act()
    return refused.value.code


def test_a_thread_from_question_to_decision(assignment: Assignment, lead: Membership) -> None:
    question = asked(assignment, "  A hand behind a back:\r\nis it missing? ")
    values = (question.text, question.kind, *state_of(question))
    assert values == ("A hand behind a back:\nis it missing?", "question", "open", 1)
    answered(question, lead, "No.")
    assert state_of(question) == ("answered", 2)
    assert replied(question, "And a foot?").state == "open"
    answered(question, lead, "Neither.")
    assert (
        resolve(question=question, actor=user_of(lead), replaces=4, request_key=uuid4()).state == "resolved"
    )
    assert [(each.by_lead, each.text) for each in Reply.objects.all()] == [
        (True, "No."),
        (False, "And a foot?"),
        (True, "Neither."),
    ]
    assert decision_text(questions_of(assignment.batch.project)[0]) == (
        "A hand behind a back:\nis it missing?\n\nNeither."
    )
    assert verbs(assignment) == [
        *("question_asked", "question_answered", "question_replied", "question_answered"),
        "question_resolved",
    ]


def test_events_name_rows_and_never_texts(assignment: Assignment, lead: Membership) -> None:
    question = asked(assignment, "Canary of a question")
    answered(question, lead, "Canary of an answer")
    found = list(Event.objects.filter(assignment=assignment).values_list("data", flat=True))
    assert found == [{"question": question.pk}, {"question": question.pk, "reply": Reply.objects.get().pk}]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" \r\n\t ", "required"),
        ("\u200b\u2060", "required"),
        (None, "required"),
        ("x" * 2001, "max_length"),
        ("a\u202eb", "turned"),
    ],
)
def test_a_bad_text_stores_nothing(assignment: Assignment, lead: Membership, text: Any, code: str) -> None:
    question = asked(assignment)
    for act in (
        lambda: asked(assignment, text),
        lambda: answered(question, lead, text),
        lambda: replied(question, text),
    ):
        assert code_of(act) == code
    assert (Question.objects.count(), Reply.objects.count(), state_of(question)) == (1, 0, ("open", 1))


def test_of_a_deleted_image_nothing_is_asked_or_counted(assignment: Assignment, lead: Membership) -> None:
    question = asked(assignment)
    answered(question, lead)
    replied(question)
    project = lead.project
    delete_with_all(assignment.image)
    words: dict[str, Any] = {"question": question, "text": "And now?", "request_key": uuid4()}
    for act in (
        lambda: asked(assignment),
        lambda: answer(author=lead, actor=user_of(lead), replaces=3, **words),
        lambda: reply(author=assignment.annotator, actor=user_of(assignment.annotator), **words),
    ):
        assert code_of(act) == "deleted"
    assert not questions_of(project)
    assert not own_questions(assignment.annotator)
    assert (open_count(project), unread_for(assignment.annotator, project)) == (0, 0)


def flagged(reason: str = "ambiguous", note: str = "Left hand?") -> dict[str, Any]:
    return make_payload(flag={"reason": reason, "note": note})


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
    reopen_own(assignment, 4)
    assert flag()[0] == "resolved"
    save(assignment, flagged("broken", ""), 5)
    assert flag() == ("open", "broken", "")
    assert Question.objects.get().open_since > since
    assert Question.objects.get().version == 4


THREADS = 6
at_once = pytest.mark.django_db(transaction=True)


def thread(pk: int) -> Question:
    return Question.objects.select_related("assignment__batch", "annotator__user").get(pk=pk)


def kinds(outcomes: list[Question | Exception]) -> list[str]:
    return sorted(getattr(each, "code", type(each).__name__) for each in outcomes)


@at_once
def test_of_leads_who_answer_at_once_one_is_stored(lead: Membership, assignment: Assignment) -> None:
    pk = asked(assignment).pk
    leads = [lead, *(make_member(lead.project, LEAD) for _ in range(THREADS - 1))]

    def act(who: Membership) -> Question:
        return answered(thread(pk), who, f"By {who.code}", replaces=1)

    assert kinds(race([partial(act, who) for who in leads])) == ["Question"] + ["stale"] * (THREADS - 1)
    question = Question.objects.get()
    assert (question.state, question.version, Reply.objects.count()) == ("answered", 2, 1)


@at_once
@pytest.mark.parametrize("what", ["ask", "answer", "reply"])
def test_a_request_sent_six_times_is_one(lead: Membership, assignment: Assignment, what: str) -> None:
    pk, key = asked(assignment, "First").pk, uuid4()

    def act(key: UUID) -> Question:
        if what == "ask":
            return asked(fresh(assignment.pk), key=key)
        return (
            answered(thread(pk), lead, replaces=1, key=key)
            if what == "answer"
            else replied(thread(pk), key=key)
        )

    assert kinds(race([partial(act, key)] * THREADS)) == ["Question"] * THREADS
    assert Question.objects.count() + Reply.objects.count() == 2
    assert Event.objects.filter(request_key=key).count() == 1


@at_once
def test_questions_at_once_keep_the_limit(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MOST_QUESTIONS", 2)
    outcomes = race([lambda: asked(fresh(assignment.pk))] * THREADS)
    assert kinds(outcomes) == ["Question"] * 2 + ["full"] * (THREADS - 2)
    assert Question.objects.count() == 2


@at_once
def test_one_flag_saved_six_times_is_one_question(assignment: Assignment) -> None:
    payload = make_payload(flag={"reason": "other", "note": "Look."})
    race([lambda: save(fresh(assignment.pk), payload, 0)] * THREADS)
    assert [each.kind for each in Question.objects.all()] == ["flag"]
