"""Questions: asked by annotators, answered by leads."""

from __future__ import annotations

import re

from django.test import Client

from annotator.models import Question
from tests.annotator.acting import answered, asked, save
from tests.annotator.web.views.conftest import Study
from tests.annotator.web.views.test_hidden import blind
from tests.factories import make_payload
from tests.support.codes import codes, numbers

OWN = "/projects/pilot/questions/mine/"
QUEUE = "/projects/pilot/queue/"


class TestTheThreads:
    """The annotator's own page, and the card on the queue."""

    def test_an_answer_is_unread_until_it_is_read(self, study: Study, as_ada: Client) -> None:
        question = answered(asked(study.assignments[0]), study.lead, "Yes, count it.")
        queue = as_ada.get(QUEUE).content.decode()
        assert numbers(queue, "unread-answers") == numbers(queue, "unread-count") == ["1"]
        page = as_ada.get(OWN)
        assert "unread" in codes(page)
        shown = dict(re.findall(r'name="(until|question)" value="([^"]+)"', page.content.decode()))
        assert as_ada.post(OWN, shown, headers={"HX-Request": "true"}).content == b""
        assert "unread-count" not in codes(as_ada.get(QUEUE))
        question.refresh_from_db()
        assert question.read_at == question.answered_at

    def test_other_peoples_threads_change_no_byte(self, study: Study, as_ada: Client) -> None:
        asked(study.assignments[0], "Mine")
        before = [blind(as_ada.get(address).content.decode()) for address in (OWN, QUEUE)]
        question = answered(asked(study.of_bob, "Another's"), study.lead, "Not for Ada")
        asked(study.of_bob)
        assert [blind(as_ada.get(address).content.decode()) for address in (OWN, QUEUE)] == before
        assert question.state == "answered"


LIST = "/projects/pilot/questions/"


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
