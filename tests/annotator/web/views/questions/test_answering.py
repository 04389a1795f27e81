"""A lead's side of questions: one list, answered in place."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from pytest_django import DjangoAssertNumQueries

from annotator.annotations import questions
from annotator.models import Image, Question, Reply
from annotator.web import urls
from annotator.web.views.questions import answering
from tests.annotator.acting import save
from tests.annotator.asking import answered, asked
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import LEAD, REVIEWER, make_assignment, make_member, make_payload, make_project
from tests.support.codes import codes, numbers

LIST = "/projects/pilot/questions/"
HX = {"HX-Request": "true"}


def post(client: Client, question: Question, action: str = "answer", **said: Any) -> Any:
    headers = said.pop("headers", {})
    sent = {"action": action, "version": "1", "request_key": str(uuid4()), "text": "Yes.", **said}
    return client.post(reverse("question", args=[question.pk]), sent, headers=headers)


def listed(client: Client, state: str = "") -> list[int]:
    page = client.get(LIST, {"state": state} if state else {})
    return [thread.question.pk for thread in page.context["threads"]]


def test_questions_and_flags_are_one_list(study: Study, as_lead: Client) -> None:
    first, second, third = study.assignments
    assert "none-open" in codes(as_lead.get(LIST))
    question = asked(first, "Is it a hand?")
    save(second, make_payload(flag={"reason": "ambiguous", "note": "Left or right?"}))
    closed = answered(asked(third), study.lead)
    page = as_lead.get(LIST)
    html = page.content.decode()
    assert numbers(html, "open-questions") == ["2"]
    assert "Ambiguous, needs discussion: Left or right?" in html
    flag = Question.objects.get(kind="flag")
    assert listed(as_lead) == [question.pk, flag.pk]
    assert listed(as_lead, "answered") == [closed.pk]
    assert listed(as_lead, "all") == [closed.pk, flag.pk, question.pk]
    assert listed(as_lead, "nothing") == listed(as_lead)
    assert listed(as_lead, "resolved") == []


def test_an_answer_sent_twice_is_stored_once(study: Study, as_lead: Client) -> None:
    question, key = asked(study.assignments[0]), str(uuid4())
    for _ in range(2):
        assert post(as_lead, question, request_key=key)["Location"] == LIST
    assert [(row.text, row.author, row.by_lead) for row in Reply.objects.all()] == [
        ("Yes.", study.lead, True)
    ]


def test_a_script_gets_the_row_as_it_is_now(study: Study, as_lead: Client) -> None:
    question = asked(study.assignments[0])
    row = post(as_lead, question, headers=HX)
    assert (row.status_code, codes(row)) == (200, ["state-answered", "open-questions"])
    assert f'id="question-{question.pk}"' in row.content.decode()
    assert "<html" not in row.content.decode()
    assert codes(post(as_lead, question, "resolve", version="2", headers=HX))[0] == "state-resolved"
    assert codes(post(as_lead, question, "reopen", version="3", headers=HX))[0] == "state-open"


def test_a_script_also_gets_the_number_of_the_navigation(study: Study, as_lead: Client) -> None:
    count = '<span class="count" data-part="review-count"%s>%s<'
    first, second = (asked(each) for each in study.assignments[:2])
    assert as_lead.get(LIST).content.decode().count(count % ("", 2)) == 2
    swap = ' hx-swap-oob="outerHTML:[data-part=review-count]"'
    assert count % (swap, 1) in post(as_lead, first, headers=HX).content.decode()
    assert count % (f"{swap} hidden", "") in post(as_lead, second, headers=HX).content.decode()


@pytest.mark.parametrize("headers", [{}, HX])
@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({"text": ""}, 422, "required"),
        ({"text": "x" * 2001}, 422, "max_length"),
        ({"text": "a\u202eb"}, 422, "turned"),
        ({"version": "7"}, 409, "stale"),
    ],
)
def test_a_refused_answer_stays_in_its_field(
    study: Study, as_lead: Client, headers: dict[str, str], said: dict[str, str], status: int, code: str
) -> None:
    question = asked(study.assignments[0])
    page = post(as_lead, question, headers=headers, **{"text": "Kept.", **said})
    assert (page.status_code, code in codes(page)) == (status, True)
    assert {"text": "Kept.", **said}["text"] in page.content.decode()
    assert not Reply.objects.exists()


@pytest.mark.parametrize(
    "said",
    [{"action": "delete"}, {"version": ""}, {"version": "9" * 30}, {"version": "²"}, {"request_key": "x"}],
)
def test_an_incomplete_form_is_refused(study: Study, as_lead: Client, said: dict[str, str]) -> None:
    question = asked(study.assignments[0])
    assert post(as_lead, question, **{"action": "answer", **said}).status_code == 400
    assert Question.objects.get().version == 1


def test_only_leads_of_this_project(study: Study, as_ada: Client) -> None:
    question = asked(study.assignments[0])
    reviewer = signed_in(make_member(study.project, REVIEWER))
    elsewhere = signed_in(make_member(make_project(), LEAD))
    former = signed_in(make_member(study.project, LEAD, is_active=False))
    for client in (as_ada, reviewer, elsewhere, former):
        assert client.get(LIST).status_code == 404
        assert client.get(reverse("question", args=[question.pk])).status_code == 404
        assert post(client, question).status_code == 404
    assert not Reply.objects.exists()


def test_a_question_on_a_deleted_image_is_not_there(study: Study, as_lead: Client) -> None:
    question = asked(study.assignments[0])
    Image.everything.filter(pk=study.assignments[0].image_id).update(goes_at="2099-01-01T00:00Z")
    assert listed(as_lead) == []
    assert post(as_lead, question).status_code == 404


def test_the_count_has_a_cap(study: Study, as_lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "COUNTED", 2)
    monkeypatch.setattr(answering, "open_count", lambda project: questions.open_count(project, 2))
    asked(study.assignments[0])
    assert "1 question is open" in as_lead.get(LIST).content.decode()
    asked(study.assignments[0])
    assert "1+ questions are open" in as_lead.get(LIST).content.decode()


def test_the_guideline_is_offered_where_it_can_be_edited(study: Study, as_lead: Client) -> None:
    pk = answered(asked(study.assignments[0]), study.lead).pk
    there = any(each.name == "guideline_edit" for each in urls.urlpatterns if isinstance(each, URLPattern))
    assert (f"?question={pk}" in as_lead.get(LIST, {"state": "all"}).content.decode()) is there


@pytest.mark.parametrize("count", [1, 3])
def test_one_question_costs_as_much_as_three(
    study: Study, as_lead: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for assignment in study.assignments[:count]:
        answered(asked(assignment), study.lead)
    as_lead.get(LIST)
    # session, user, project, number of questions, questions, replies, how many are open
    with django_assert_num_queries(8):
        assert len(as_lead.get(LIST, {"state": "all"}).context["threads"]) == count


def test_questions_of_another_project_are_not_listed(study: Study, as_lead: Client) -> None:
    other = make_member(make_project())
    asked(make_assignment(other))
    assert listed(as_lead, "all") == []
