"""What people wrote to each other: in a person's own data, and gone with the image or project."""

from __future__ import annotations

import pytest

from annotator.models import Membership, Question
from annotator.records.accounts import delete_account, records_of
from tests.annotator.asking import answered, asked, replied
from tests.annotator.web.views.conftest import Study, study

__all__ = ["study"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def thread(study: Study) -> Question:
    question = answered(asked(study.assignments[0], "Ada asks"), study.lead, "Lee answers")
    replied(question, "Ada replies")
    answered(asked(study.of_bob, "Bob asks"), study.lead, "Lee answers Bob")
    return question


def texts_of(member: Membership) -> list[tuple[str, str]]:
    assert member.user is not None
    return [(row["kind"], row["text"]) for row in records_of(member.user) if "text" in row]


def test_a_persons_data_hold_what_they_wrote_and_nobody_elses(study: Study, thread: Question) -> None:
    assert texts_of(study.ada) == [("question", "Ada asks"), ("reply", "Ada replies")]
    assert texts_of(study.lead) == [
        ("answer", "Lee answers"),
        ("answer", "Lee answers Bob"),
    ]


def test_messages_stay_under_the_code_when_the_account_goes(study: Study, thread: Question) -> None:
    assert study.ada.user is not None
    delete_account(user=study.ada.user, actor=None)
    thread.refresh_from_db()
    assert (thread.annotator.code, thread.text, thread.replies.count()) == ("ada", "Ada asks", 2)
