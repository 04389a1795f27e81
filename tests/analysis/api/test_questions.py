"""Questions in the API: a lead's program lists and answers them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from annotator.models import Question, Reply
from tests.analysis.api.callers import Caller, calling, items
from tests.analysis.api.conftest import Study
from tests.annotator.acting import save
from tests.annotator.asking import answered, asked
from tests.factories import LEAD, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

LIST = "/projects/pilot/questions"


def said(text: object = "Yes.", version: object = 1, **changes: object) -> dict[str, Any]:
    return {"text": text, "version": version, "request_key": str(uuid4()), **changes}


def test_questions_and_flags_are_one_list_with_filters(study: Study, lee: Caller) -> None:
    question = answered(asked(study.queue[1]), study.people["lee"])
    save(study.of_bob[1], make_payload(flag={"reason": "broken", "note": "grey"}))
    flag, first = items(lee.get(LIST))
    assert (flag["kind"], flag["state"], flag["reason"], flag["text"], flag["annotator"]) == (
        *("flag", "open", "broken", "grey", "bob"),
    )
    assert (first["id"], first["state"], first["version"], first["text"]) == (
        *(question.pk, "answered", 2, "Is it a hand?"),
    )
    [reply] = first["replies"]
    assert (reply["code"], reply["by_lead"], reply["text"]) == ("lee", True, "Yes, count it.")
    assert first["image"] == str(study.queue[1].image.public_id)
    bob, batch = study.people["bob"].pk, study.queue[1].batch_id
    for query, count in [
        *(("state=open", 1), ("kind=question", 1), (f"annotator={bob}", 1), (f"batch={batch}", 2)),
        *(("state=resolved", 0), (f"batch={batch + 1}", 0)),
    ]:
        assert len(items(lee.get(f"{LIST}?{query}"))) == count, query
    page = lee.get(f"{LIST}?limit=1").json()
    assert items(lee.get(f"{LIST}?limit=1&after={page['next']}"))[0]["id"] == question.pk
    for query in ("state=new", "kind=note", "page=2"):
        assert lee.get(f"{LIST}?{query}").status_code == 422


def test_an_answer_is_stored_once(study: Study, lee: Caller) -> None:
    question, body = asked(study.queue[1]), said()
    path = f"/questions/{question.pk}/answers"
    first, second = (lee.post(path, body) for _ in range(2))
    assert first.json() == second.json()
    assert (first.json()["state"], first.json()["version"]) == ("answered", 2)
    assert [(each.by_lead, each.text) for each in Reply.objects.all()] == [(True, "Yes.")]
    stale = lee.post(path, said("No."))
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale")
    reused = lee.post(f"/questions/{asked(study.queue[1]).pk}/answers", body)
    assert (reused.status_code, reused.json()["error"]["code"]) == (409, "key_reused")
    assert Reply.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        *(said(text) for text in ("", " ", "a\u202eb", "a\0b", "x" * 2001, None, 7)),
        *(said(version=version) for version in (0, -1, "1", 1.0, None, 2**63)),
        said(request_key="x"),
        said(more=1),
    ],
)
@pytest.mark.few(4)
def test_a_bad_answer_is_named_and_not_stored(study: Study, lee: Caller, body: dict[str, Any]) -> None:
    question = asked(study.queue[1])
    refused = lee.post(f"/questions/{question.pk}/answers", body)
    assert refused.status_code == 422
    assert refused.json()["error"]["fields"]
    assert not Reply.objects.exists()


def test_only_leads_of_the_project(study: Study) -> None:
    question = asked(study.queue[1])
    others = [calling(study.people[code]) for code in ("ada", "bob", "rex")]
    elsewhere = make_member(make_project("other"), LEAD)
    for caller in (*others, calling(elsewhere)):
        assert caller.get(LIST).status_code == 404
        assert caller.post(f"/questions/{question.pk}/answers", said()).status_code == 404
    assert study.caller("lee", "read").post(f"/questions/{question.pk}/answers", said()).status_code == 403
    assert Question.objects.get().state == "open"


@pytest.mark.parametrize("count", [1, 3])
def test_a_list_costs_the_same(
    study: Study, lee: Caller, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for assignment in study.queue[:count]:
        answered(asked(assignment), study.people["lee"])
    lee.get(LIST)
    # the token, the project, the questions, their replies
    with django_assert_num_queries(4):
        assert len(items(lee.get(LIST))) == count
