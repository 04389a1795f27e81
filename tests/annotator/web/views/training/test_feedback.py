"""What an annotator receives after a training image."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Assignment, Image
from tests.annotator.training.making import Course, make_course, submit
from tests.annotator.web.views.conftest import signed_in
from tests.factories import ANSWER

pytestmark = pytest.mark.django_db


@pytest.fixture
def course(db: None) -> Course:
    made = make_course()
    Image.objects.update(generator="SecretModel", prompt="secret prompt")
    made.batch()
    return made


@pytest.fixture
def ada(course: Course) -> Client:
    return signed_in(course.ada)


def rows_of(course: Course) -> list[Assignment]:
    return list(course.ada.assignments.order_by("position"))


def test_the_form_without_script_leads_to_the_feedback(ada: Client, course: Course) -> None:
    first, second = rows_of(course)
    page = ada.post(
        reverse("label", args=[first.pk]),
        {"version": 0, "request_key": uuid4(), "action": "submit", "no_errors": "on"},
    )
    assert (page.status_code, page["Location"]) == (302, reverse("training_feedback", args=[first.pk]))
    shown = ada.get(page["Location"]).content.decode()
    assert "0 cells match, 4 differ" in shown
    assert reverse("label", args=[second.pk]) in shown


def test_the_feedback_shows_both_sides_and_the_rationale_only(ada: Client, course: Course) -> None:
    first, _ = rows_of(course)
    submit(first, ANSWER)
    page = ada.get(reverse("training_feedback", args=[first.pk])).content.decode()
    for text in ("1 cell matches, 4 differ", "The mouth is missing in both faces.", "0.883", "1.117"):
        assert text in page
    assert "SecretModel" not in page
    assert "secret prompt" not in page


def test_before_submitting_the_reference_is_not_shown(ada: Client, course: Course) -> None:
    first, _ = rows_of(course)
    answer = ada.get(reverse("training_feedback", args=[first.pk]))
    assert (answer.status_code, answer["Location"]) == (302, reverse("label", args=[first.pk]))


def test_a_finished_training_offers_another_pass(ada: Client, course: Course) -> None:
    first, second = rows_of(course)
    submit(first, ANSWER)
    submit(second, ANSWER)
    place = reverse("training_feedback", args=[second.pk])
    assert "You found 3 of the 4 marked cells and marked 5 that" in ada.get(place).content.decode()
    assert ada.post(place).status_code == 302
    assert course.ada.assignments.filter(pass_no=1).count() == 2
