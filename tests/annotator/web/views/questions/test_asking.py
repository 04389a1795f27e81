"""An annotator's side of questions: the form, the dialog's address, the queue, the page of threads."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotator.models import Assignment, Image, Membership, Question, Reply
from tests.annotator.asking import answered, asked
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import LEAD, make_member, make_project
from tests.support.codes import codes, numbers

OWN = "/projects/pilot/questions/mine/"
QUEUE = "/projects/pilot/queue/"


def form(text: str = "Is it a hand?", **more: str) -> dict[str, str]:
    return {"text": text, "request_key": str(uuid4()), **more}


def send(client: Client, assignment: Assignment, **sent: Any) -> Any:
    """What the dialog of the annotation page sends."""
    body = {"text": "Is it a hand?", "request_key": str(uuid4()), **sent}
    return client.post(
        reverse("question_send", args=[assignment.pk]), json.dumps(body), content_type="application/json"
    )


class TestTheForm:
    """Without JavaScript a question is a page of its own."""

    def test_the_labelling_page_leads_there_and_back(self, study: Study, as_ada: Client) -> None:
        address = reverse("question_ask", args=[study.assignments[0].pk])
        assert (
            f'href="{address}"'
            in as_ada.get(reverse("label", args=[study.assignments[0].pk])).content.decode()
        )
        page = as_ada.get(address)
        assert (page.status_code, codes(page)) == (200, [])
        sent = form()
        for _ in range(2):
            answer = as_ada.post(address, sent)
            assert answer["Location"] == f"{OWN}#question-{Question.objects.get().pk}"
        assert "asked" in codes(as_ada.get(OWN))

    @pytest.mark.parametrize(
        ("text", "code"), [("", "required"), ("x" * 2001, "max_length"), ("a\u202eb", "turned")]
    )
    def test_a_bad_text_is_named_and_kept(self, study: Study, as_ada: Client, text: str, code: str) -> None:
        page = as_ada.post(reverse("question_ask", args=[study.assignments[0].pk]), form(text))
        assert (page.status_code, codes(page)) == (422, [code])
        assert text in page.content.decode()
        assert not Question.objects.exists()

    def test_nul_is_refused_without_a_traceback(self, study: Study, as_ada: Client) -> None:
        page = as_ada.post(reverse("question_ask", args=[study.assignments[0].pk]), form("a\0b"))
        assert page.status_code in (400, 422)

    def test_a_form_without_a_key_is_incomplete(self, study: Study, as_ada: Client) -> None:
        address = reverse("question_ask", args=[study.assignments[0].pk])
        assert as_ada.post(address, {"text": "Is it?"}).status_code == 400
        assert not Question.objects.exists()

    def test_of_an_image_being_deleted(self, study: Study, as_ada: Client) -> None:
        first = study.assignments[0]
        Image.everything.filter(pk=first.image_id).update(goes_at="2099-01-01T00:00Z")
        assert "image-being-deleted" in codes(as_ada.get(reverse("question_ask", args=[first.pk])))
        assert send(as_ada, first).status_code == 422


class TestTheDialog:
    """The annotation page speaks JSON."""

    def test_sent_twice_it_is_one_question(self, study: Study, as_ada: Client) -> None:
        key = str(uuid4())
        answers = [send(as_ada, study.assignments[0], request_key=key) for _ in range(2)]
        pk = Question.objects.get().pk
        assert [(each.status_code, each.json()) for each in answers] == [(200, {"question": pk})] * 2

    @pytest.mark.parametrize("text", ["", "  ", None, 7, "x" * 2001, "a\u202eb", "a\0b", "a\ud800b"])
    def test_a_bad_text_is_named(self, study: Study, as_ada: Client, text: Any) -> None:
        refused = send(as_ada, study.assignments[0], text=text)
        assert (refused.status_code, list(refused.json()["errors"])) == (422, ["text"])
        assert not Question.objects.exists()

    @pytest.mark.parametrize("sent", [{"request_key": "x"}, {"request_key": None}, {"more": 1}])
    def test_a_malformed_request_is_refused(self, study: Study, as_ada: Client, sent: Any) -> None:
        assert send(as_ada, study.assignments[0], **sent).status_code == 400

    def test_nobody_asks_about_anothers_image(self, study: Study, as_ada: Client) -> None:
        assert send(as_ada, study.of_bob).status_code == 404
        Membership.objects.filter(pk=study.ada.pk).update(is_active=False)
        assert send(as_ada, study.assignments[0]).status_code == 404
        assert send(Client(), study.assignments[0]).status_code == 401


class TestTheThreads:
    """The annotator's own page, and the card on the queue."""

    def test_an_answer_is_unread_until_it_is_read(self, study: Study, as_ada: Client) -> None:
        question = answered(asked(study.assignments[0]), study.lead, "Yes, count it.")
        queue = as_ada.get(QUEUE).content.decode()
        assert numbers(queue, "unread-answers") == numbers(queue, "unread-count") == ["1"]
        assert "Yes, count it." in queue
        page = as_ada.get(OWN)
        assert "unread" in codes(page)
        shown = dict(re.findall(r'name="(until|question)" value="([^"]+)"', page.content.decode()))
        assert as_ada.post(OWN, shown, headers={"HX-Request": "true"}).content == b""
        assert "unread-count" not in codes(as_ada.get(QUEUE))
        question.refresh_from_db()
        assert question.read_at == question.answered_at

    @pytest.mark.parametrize("until", ["", "x", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00"])
    def test_an_incomplete_mark_is_refused(self, study: Study, as_ada: Client, until: str) -> None:
        assert as_ada.post(OWN, {"until": until, "question": ["1", "x", "9" * 30]}).status_code == 400

    def test_a_reply_goes_back_to_the_thread(self, study: Study, as_ada: Client) -> None:
        question = answered(asked(study.assignments[0]), study.lead)
        address, sent = reverse("question_reply", args=[question.pk]), form("And this one?")
        for _ in range(2):
            assert as_ada.post(address, sent)["Location"] == f"{OWN}#question-{question.pk}"
        page = as_ada.get(OWN)
        assert "state-open" in codes(page)
        assert "And this one?" in page.content.decode()
        refused = as_ada.post(address, form("a\u202eb"))
        assert (refused.status_code, "turned" in codes(refused)) == (422, True)
        assert Reply.objects.count() == 2

    def test_nobody_reads_or_writes_in_anothers_thread(self, study: Study, as_ada: Client) -> None:
        question = answered(asked(study.of_bob, "Canary of Bob"), study.lead, "Canary for Bob")
        reply = reverse("question_reply", args=[question.pk])
        others = [as_ada, signed_in(study.lead), signed_in(make_member(make_project(), LEAD))]
        assert [client.post(reply, form()).status_code for client in others] == [404] * 3
        for address in (OWN, QUEUE):
            assert b"Canary" not in as_ada.get(address).content
        bob = signed_in(study.bob)
        assert b"Canary for Bob" in bob.get(OWN).content
        Membership.objects.filter(pk=study.bob.pk).update(is_active=False)
        assert [bob.get(OWN).status_code, bob.post(reply, form()).status_code] == [404, 404]

    def test_other_peoples_threads_change_no_byte(self, study: Study, as_ada: Client) -> None:
        asked(study.assignments[0], "Mine")
        before = [steady(as_ada.get(address).content) for address in (OWN, QUEUE)]
        question = answered(asked(study.of_bob, "Another's"), study.lead, "Not for Ada")
        asked(study.of_bob)
        assert [steady(as_ada.get(address).content) for address in (OWN, QUEUE)] == before
        assert question.state == "answered"

    def test_nobody_is_named_to_the_annotator(self, study: Study, as_ada: Client) -> None:
        first = study.assignments[0]
        answered(asked(first), study.lead)
        assert study.lead.user is not None
        secret = (study.lead.code, study.bob.code, first.image.generator, first.image.prompt)
        for address in (OWN, QUEUE, reverse("question_ask", args=[first.pk])):
            page = as_ada.get(address).content.decode()
            assert not [name for name in secret if re.search(rf"\b{re.escape(name)}\b", page)], address

    @pytest.mark.parametrize("count", [1, 3])
    def test_one_thread_costs_as_much_as_three(
        self, study: Study, as_ada: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for assignment in study.assignments[:count]:
            answered(asked(assignment), study.lead)
        as_ada.get(OWN)
        # session, user, membership, threads with their number, replies and places, unread
        with django_assert_num_queries(8):
            threads = as_ada.get(OWN).context["threads"]
        assert [thread.question.assignment.place for thread in threads] == [*range(count, 0, -1)]


def steady(body: bytes) -> bytes:
    """A page without tokens, keys and what follows the clock."""
    body = re.sub(rb'((?:csrfmiddlewaretoken|request_key|until)"? value=")[^"]*', rb"\1", body)
    return re.sub(rb'(x-csrftoken": ")[^"]*', rb"\1", body)
