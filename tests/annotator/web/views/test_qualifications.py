"""The pages of a qualification: a lead makes one, an annotator takes it, standings follow."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Standing
from tests.annotator.training.making import WRONG, Course, finish, release, rows_of, submit
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db

QUERY = "?protocol=anatomy"


@pytest.fixture
def lead(exam: Course) -> Client:
    return signed_in(exam.lead)


@pytest.fixture
def ada(exam: Course) -> Client:
    return signed_in(exam.ada)


def standings(exam: Course) -> str:
    return reverse("standings", args=[exam.project.slug]) + QUERY


def test_nothing_is_told_before_the_end(ada: Client, exam: Course) -> None:
    batch = release(exam)
    first, _ = rows_of(batch, exam.ada)
    submit(first, WRONG)
    page = ada.get(reverse("qualification_result", args=[batch.pk])).content.decode()
    assert "1 of 2 images submitted" in page
    assert "at least 0.7" in page
    assert "Reached" not in page


def test_the_result_never_shows_an_answer(ada: Client, db: None, exam: Course) -> None:
    exam.project.slug = "other"
    five = exam
    batch = release(five, images=4)
    finish(batch, five.ada, WRONG)
    page = ada.get(reverse("qualification_result", args=[batch.pk])).content.decode()
    for term in ("1/4c", "1/3b", "2/2a"):
        assert term not in page


def test_an_ended_image_is_shown_read_only(ada: Client, exam: Course) -> None:
    batch = release(exam)
    finish(batch, exam.ada, WRONG)
    [row, _] = rows_of(batch, exam.ada)
    page = ada.get(reverse("own_answer", args=[row.pk])).content.decode()
    assert 'data-code="ended"' in page
    sent = {"version": 1, "request_key": str(uuid4())}
    refused = ada.post(reverse("answer_reopen", args=[row.pk]), sent, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]) == (409, "ended")
    label = ada.get(reverse("label", args=[row.pk])).content.decode()
    assert 'data-code="ended"' in label


def test_the_lead_sees_the_evidence_with_its_interval(lead: Client, exam: Course) -> None:
    finish(release(exam), exam.ada)
    page = lead.get(standings(exam)).content.decode()
    assert "1 of 2 annotators" in page
    assert 'data-code="qualified"' in page
    # 8 of 8 cells: 0.025^(1/8) = 0.631
    assert "0.631 to 1.000" in page
    for pk in Standing.objects.get().evidence:
        assert reverse("annotation", args=[pk]) in page
