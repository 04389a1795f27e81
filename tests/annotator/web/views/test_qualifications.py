"""The pages of a qualification: a lead makes one, an annotator takes it, standings follow."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.annotations.queue import next_assignment
from annotator.models import Batch, Standing
from annotator.people.standings import move
from tests.annotator.guidelines.making import drafted, publication
from tests.annotator.training.making import WRONG, Course, finish, release, rows_of, submit
from tests.annotator.web.views.conftest import signed_in
from tests.support.codes import codes

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


@pytest.mark.thorough
def test_the_lead_exempts_with_a_reason(lead: Client, exam: Course) -> None:
    refused = lead.post(standings(exam), {"person": exam.bob.pk, "reason": " "})
    assert refused.status_code == 422
    assert 'data-code="no-reason"' in refused.content.decode()
    assert (
        lead.post(standings(exam), {"person": exam.bob.pk, "reason": "Wrote the guideline"}).status_code
        == 302
    )
    page = lead.get(standings(exam)).content.decode()
    assert "Wrote the guideline" in page
    assert Standing.objects.get().state == "waived"
    for unknown in ("0", "x", "9" * 30):
        assert lead.post(standings(exam), {"person": unknown, "reason": "why"}).status_code == 422


@pytest.mark.thorough
def test_a_batch_for_qualified_annotators_names_who_is_not(lead: Client, exam: Course) -> None:
    place = reverse("batch_new", args=[exam.project.slug])
    asked: dict[str, object] = {
        "action": "preview",
        "protocol": "anatomy",
        "name": "Work",
        "which": "all",
        "annotators": [exam.ada.pk, exam.bob.pk],
        "overlap": "0",
        "overlap_unit": "percent",
        "coders": "1",
        "seed": "3",
        "score_shown": "choice",
        "zoom": "none",
        "needs_standing": "on",
    }
    move(exam.ada, "anatomy", Standing.State.QUALIFIED, actor=None)
    page = lead.post(place, asked)
    text = page.content.decode()
    assert page.status_code == 200, text
    assert 'data-code="lacking"' in text
    assert "Exempt bob" in text
    assert "Exempt ada" not in text
    facts = page.context["facts"]
    sent = {
        **asked,
        "action": "confirm",
        "digest": facts["digest"],
        "basis": facts["basis"],
        "request_key": str(uuid4()),
    }
    refused = lead.post(place, sent)
    assert refused.status_code == 422
    assert 'data-code="not-qualified"' in refused.content.decode()
    reasonless = lead.post(place, {**sent, "waived": [exam.bob.pk]})
    assert 'data-code="no-reason"' in reasonless.content.decode()
    assert not Batch.objects.exists()
    made = lead.post(place, {**sent, "waived": [exam.bob.pk], "waiver": "Helps out today"})
    assert made.status_code == 302
    batch = Batch.objects.get()
    assert batch.needs_standing
    assert Standing.objects.get(membership=exam.bob).reason == "Helps out today"
    publication(exam.lead)
    upcoming = {one: next_assignment(one) for one in (exam.ada, exam.bob)}
    shown = reverse("batch", args=[batch.pk])
    assert "lacking" not in codes(lead.get(shown))
    drafted(exam.lead, missing="Hands first.")
    assert publication(exam.lead, "Hands come first.", major=True).number == "2.0"
    page = lead.get(shown)
    assert "lacking" in codes(page)
    assert page.context["lacking"] == [exam.ada, exam.bob]
    assert set(Standing.objects.values_list("state", flat=True)) == {"lapsed"}
    # They keep their work all the same.
    assert None not in upcoming.values()
    assert {one: next_assignment(one) for one in upcoming} == upcoming
