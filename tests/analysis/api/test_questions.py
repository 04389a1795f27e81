"""Questions in the API: a lead's program lists and answers them; and announcements."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from annotator.annotations.announcements import announce, mark_announcement_read, withdraw
from annotator.models import Announcement, Question, Reply
from tests.analysis.api.callers import Caller, calling, items
from tests.analysis.api.conftest import Study
from tests.annotator.acting import save
from tests.annotator.asking import answered, asked
from tests.factories import LEAD, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

LIST = "/projects/pilot/questions"
ANNOUNCEMENTS = "/projects/pilot/announcements"


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


def announced(study: Study, text: str = "Label by Friday.") -> Announcement:
    lead = study.people["lee"]
    assert lead.user is not None
    batch = study.queue[0].batch
    return announce(batch=batch, author=lead, actor=lead.user, text=text, request_key=uuid4())


def test_announcements_are_listed_with_their_readers(study: Study, lee: Caller) -> None:
    first, second = announced(study), announced(study, "Hands behind a back do not count.")
    mark_announcement_read(announcement=first, reader=study.people["ada"])
    assert study.people["lee"].user is not None
    withdraw(announcement=second, actor=study.people["lee"].user)
    later, earlier = items(lee.get(ANNOUNCEMENTS))
    assert later.pop("withdrawn_at")
    assert later.pop("created_at")
    assert earlier.pop("created_at")
    batch = study.queue[0].batch_id
    said = {"batch": batch, "code": "lee"}
    assert later == {"id": second.pk, "text": "Hands behind a back do not count.", "read_by": 0, **said}
    assert earlier == {
        "id": first.pk,
        "text": "Label by Friday.",
        "read_by": 1,
        "withdrawn_at": None,
        **said,
    }
    for query, found in [
        *((f"batch={batch}", [second.pk, first.pk]), (f"batch={batch + 1}", [])),
        *(("withdrawn=true", [second.pk]), ("withdrawn=false", [first.pk])),
    ]:
        assert [row["id"] for row in items(lee.get(f"{ANNOUNCEMENTS}?{query}"))] == found, query
    page = lee.get(f"{ANNOUNCEMENTS}?limit=1").json()
    assert items(lee.get(f"{ANNOUNCEMENTS}?limit=1&after={page['next']}"))[0]["id"] == first.pk
    assert lee.get(f"{ANNOUNCEMENTS}?kind=flag").status_code == 422


def test_announcements_of_other_projects_stay_there(study: Study) -> None:
    announced(study)
    lead = calling(make_member(make_project("other"), LEAD))
    assert items(lead.get("/projects/other/announcements")) == []
    for caller in (lead, *(calling(study.people[code]) for code in ("ada", "bob", "rex"))):
        assert caller.get(ANNOUNCEMENTS).status_code == 404


@pytest.mark.parametrize("count", [1, 3])
def test_announcements_cost_the_same(
    study: Study, lee: Caller, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(count):
        mark_announcement_read(announcement=announced(study), reader=study.people["ada"])
    lee.get(ANNOUNCEMENTS)
    # the token, the project, the announcements
    with django_assert_num_queries(3):
        assert len(items(lee.get(ANNOUNCEMENTS))) == count


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
