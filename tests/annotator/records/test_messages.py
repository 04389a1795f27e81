"""What people wrote to each other: kept under the code, and gone with the image or project."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.models import Event, Image, Project, Question, Reply
from annotator.records.accounts import delete_account
from annotator.records.purge import remove_deleted
from tests.annotator.asking import answered, asked, replied
from tests.annotator.web.views.conftest import Study, study

__all__ = ["study"]

pytestmark = pytest.mark.django_db
LONG_AGO = timezone.now() - timedelta(days=400)


@pytest.fixture
def thread(study: Study) -> Question:
    question = answered(asked(study.assignments[0], "Ada asks"), study.lead, "Lee answers")
    replied(question, "Ada replies")
    answered(asked(study.of_bob, "Bob asks"), study.lead, "Lee answers Bob")
    return question


def test_messages_stay_under_the_code_when_the_account_goes(study: Study, thread: Question) -> None:
    assert study.ada.user is not None
    delete_account(user=study.ada.user, actor=None)
    thread.refresh_from_db()
    assert (thread.annotator.code, thread.text, thread.replies.count()) == ("ada", "Ada asks", 2)


def test_they_go_with_the_image(study: Study, thread: Question) -> None:
    first = study.assignments[0].image
    Image.everything.filter(pk=first.pk).update(goes_at=LONG_AGO)
    assert remove_deleted() == (1, 0)
    # Ada and Bob judged the same image.
    assert (Question.objects.count(), Reply.objects.count()) == (0, 0)


def test_they_go_with_the_project_and_events_stay(study: Study, thread: Question) -> None:
    before = Event.objects.count()
    Project.objects.filter(pk=study.project.pk).update(goes_at=LONG_AGO)
    assert remove_deleted() == (0, 1)
    for model in (Question, Reply):
        assert not model._default_manager.exists()
    assert Event.objects.count() > before
