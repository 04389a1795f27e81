"""Two leads, two clicks, a purge: questions under real concurrency."""

from __future__ import annotations

from functools import partial
from uuid import UUID, uuid4

import pytest

from annotator.annotations import questions
from annotator.annotations.questions import QuestionRefused
from annotator.models import Assignment, Event, Membership, Question, Reply
from annotator.records.accounts import delete_account
from tests.annotator.acting import answered, asked, replied, save
from tests.annotator.racing import race
from tests.factories import LEAD, make_assignment, make_member, make_payload, make_project, user_of

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 6


@pytest.fixture
def lead() -> Membership:
    return make_member(make_project("pilot"), LEAD, code="lead")


@pytest.fixture
def assignment(lead: Membership) -> Assignment:
    return make_assignment(make_member(lead.project, code="ada"))


def loaded(pk: int) -> Assignment:
    return Assignment.objects.select_related("batch__project", "annotator__user").get(pk=pk)


def thread(pk: int) -> Question:
    return Question.objects.select_related("assignment__batch", "annotator__user").get(pk=pk)


def kinds(outcomes: list[Question | Exception]) -> list[str]:
    return sorted(getattr(each, "code", type(each).__name__) for each in outcomes)


def test_of_leads_who_answer_at_once_one_is_stored_and_the_others_are_told(
    lead: Membership, assignment: Assignment
) -> None:
    pk = asked(assignment).pk
    leads = [lead, *(make_member(lead.project, LEAD) for _ in range(THREADS - 1))]

    def act(who: Membership) -> Question:
        return answered(thread(pk), who, f"By {who.code}", replaces=1)

    assert kinds(race([partial(act, who) for who in leads])) == ["Question"] + ["stale"] * (THREADS - 1)
    question = Question.objects.get()
    assert (question.state, question.version, Reply.objects.count()) == ("answered", 2, 1)


@pytest.mark.parametrize("what", ["ask", "answer", "reply"])
def test_one_request_sent_six_times_is_one_message(
    lead: Membership, assignment: Assignment, what: str
) -> None:
    pk, key = asked(assignment, "First").pk, uuid4()

    def act(key: UUID) -> Question:
        if what == "ask":
            return asked(loaded(assignment.pk), key=key)
        return (
            answered(thread(pk), lead, replaces=1, key=key)
            if what == "answer"
            else replied(thread(pk), key=key)
        )

    assert kinds(race([partial(act, key)] * THREADS)) == ["Question"] * THREADS
    assert Question.objects.count() + Reply.objects.count() == 2
    assert Event.objects.filter(request_key=key).count() == 1


def test_questions_at_once_stay_within_the_limit(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "MOST_QUESTIONS", 2)
    outcomes = race([lambda: asked(loaded(assignment.pk))] * THREADS)
    assert kinds(outcomes) == ["Question"] * 2 + ["full"] * (THREADS - 2)
    assert Question.objects.count() == 2


def test_an_answer_and_a_reply_at_once_are_both_kept_or_the_lead_is_told(
    lead: Membership, assignment: Assignment
) -> None:
    pk = asked(assignment).pk
    outcomes = race([lambda: answered(thread(pk), lead, replaces=1), lambda: replied(thread(pk))])
    question = Question.objects.get()
    told = isinstance(outcomes[0], QuestionRefused)
    assert (question.state, question.version) == ("open", 2 if told else 3)
    assert Reply.objects.count() == (1 if told else 2)


def test_an_answer_while_the_annotator_deletes_the_account_is_kept_under_the_code(
    lead: Membership, assignment: Assignment
) -> None:
    pk = asked(assignment).pk
    user = user_of(assignment.annotator)
    race([lambda: answered(thread(pk), lead, replaces=1), lambda: delete_account(user=user, actor=user)])
    question = Question.objects.get()
    assert (question.state, question.annotator.code, question.annotator.is_active) == (
        "answered",
        "ada",
        False,
    )


def test_an_answer_while_the_image_is_purged_is_stored_before_or_refused(
    lead: Membership, assignment: Assignment
) -> None:
    pk = asked(assignment).pk

    def purge() -> int:
        return Assignment.objects.filter(pk=assignment.pk).delete()[0]

    outcomes = race([lambda: answered(thread(pk), lead, replaces=1), purge])
    left = (Question.objects.count(), Reply.objects.count())
    assert left in [(0, 0), (1, 1)], outcomes


def test_one_flag_saved_six_times_is_one_question(assignment: Assignment) -> None:
    payload = make_payload(flag={"reason": "other", "note": "Look."})
    race([lambda: save(loaded(assignment.pk), payload, 0)] * THREADS)
    assert [each.kind for each in Question.objects.all()] == ["flag"]
