"""The pages of a qualification: a lead makes one, an annotator takes it, standings follow."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.annotations.queue import next_assignment
from annotator.models import Batch, Standing
from annotator.people.standings import move
from tests.annotator.guidelines.making import drafted, publication
from tests.annotator.training.making import Course, submit
from tests.annotator.training.qualifying import WRONG, finish, release, rows_of
from tests.annotator.web.views.conftest import signed_in
from tests.factories import REFERENCE, make_payload
from tests.support.codes import codes

pytestmark = pytest.mark.django_db

QUERY = "?protocol=anatomy"


@pytest.fixture
def lead(exam: Course) -> Client:
    return signed_in(exam.lead)


@pytest.fixture
def ada(exam: Course) -> Client:
    return signed_in(exam.ada)


def form_of(exam: Course, **changed: object) -> dict[str, object]:
    return {
        "name": "First exam",
        "person": [exam.ada.pk],
        "reference": [one.pk for one in exam.references],
        "rule.recall": "0.7",
        "images": "2",
        "attempts": "2",
        "waiting_hours": "24",
        "seed": "5",
        **changed,
    }


def new(exam: Course) -> str:
    return reverse("qualification_new", args=[exam.project.slug]) + QUERY


def standings(exam: Course) -> str:
    return reverse("standings", args=[exam.project.slug]) + QUERY


def test_the_form_proposes_the_rule_of_the_protocol(lead: Client, exam: Course) -> None:
    page = lead.get(new(exam)).content.decode()
    for name, value in (("rule.difference", "0.3"), ("rule.recall", "0.7"), ("rule.precision", "0.6")):
        assert f'name="{name}" type="text" inputmode="decimal" value="{value}"' in page
    assert 'name="rule.f1" type="text" inputmode="decimal" value=""' in page
    assert lead.post(new(exam), form_of(exam)).status_code == 302
    batch = Batch.objects.get()
    assert (batch.name, batch.seed, batch.qualification.rule) == ("First exam", 5, {"recall": "0.7"})
    shown = lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert "0 of 2" in shown
    assert 'data-code="thin"' in shown
    listed = lead.get(reverse("batches", args=[exam.project.slug])).content.decode()
    assert 'data-code="qualification"' in listed


@pytest.mark.parametrize(
    ("changed", "code"),
    [({"rule.recall": "1.2"}, "rule"), ({"images": "x"}, "number"), ({"images": "9"}, "too-few")],
)
def test_a_refused_form_keeps_what_was_typed(
    lead: Client, exam: Course, changed: dict[str, object], code: str
) -> None:
    refused = lead.post(new(exam), form_of(exam, **changed))
    page = refused.content.decode()
    assert (refused.status_code, Batch.objects.count()) == (422, 0)
    assert f'data-code="{code}"' in page
    assert 'value="First exam"' in page
    assert page.count(" checked") == 1 + len(exam.references)


def test_the_last_submission_leads_to_the_result(ada: Client, exam: Course) -> None:
    batch = release(exam)
    first, second = rows_of(batch, exam.ada)
    sent = {"version": 0, "request_key": str(uuid4()), "payload": make_payload(REFERENCE), "capture": {}}
    begun = ada.post(reverse("answer_submit", args=[first.pk]), sent, content_type="application/json")
    assert "feedback_url" not in begun.json()
    ended = ada.post(reverse("answer_submit", args=[second.pk]), sent, content_type="application/json")
    place = reverse("qualification_result", args=[batch.pk])
    assert ended.json()["feedback_url"] == place
    page = ada.get(place).content.decode()
    assert 'data-code="passed"' in page
    assert "1.000" in page
    queue = ada.get(reverse("queue", args=[exam.project.slug])).content.decode()
    assert 'data-code="passed"' in queue


def test_nothing_is_told_before_the_end(ada: Client, exam: Course) -> None:
    batch = release(exam)
    first, _ = rows_of(batch, exam.ada)
    submit(first, WRONG)
    page = ada.get(reverse("qualification_result", args=[batch.pk])).content.decode()
    assert "1 of 2 images submitted" in page
    assert "at least 0.7" in page
    assert "Reached" not in page


@pytest.mark.thorough
def test_the_first_day_leads_through_the_qualification(ada: Client, exam: Course) -> None:
    queue = reverse("queue", args=[exam.project.slug])
    batch = release(exam, waiting_hours=0)
    training = exam.batch(references=[exam.references[index].pk for index in unused(batch, exam)])
    (lesson, other) = rows_of(training, exam.ada)
    ada.get(reverse("guideline", args=[exam.project.slug]) + QUERY)

    def leads_to() -> tuple[str, str]:
        """The one address that the path leads to, and the sentence that says how far."""
        page = ada.get(queue).content.decode()
        assert "first-day" in codes(page)
        (found,) = re.findall(r'class="button primary large" href="([^"]+)"', page)
        return found, page

    assert leads_to()[0] == reverse("label", args=[lesson.pk])
    for row in (lesson, other):
        submit(row, REFERENCE)
    first, second = rows_of(batch, exam.ada)
    place, page = leads_to()
    assert place == reverse("label", args=[first.pk])
    assert "2 images without feedback" in page
    submit(first, WRONG)
    place, page = leads_to()
    assert (place, "1 of 2 images submitted" in page) == (reverse("label", args=[second.pk]), True)
    submit(second, WRONG)
    place, page = leads_to()
    assert place == reverse("qualification_result", args=[batch.pk])
    assert "You can begin the next attempt now." in page
    assert ada.post(place).status_code == 302
    finish(batch, exam.ada, REFERENCE, 2)
    page = ada.get(queue).content.decode()
    assert {"first-day", "passed"} <= set(codes(page))
    assert "Images appear here when a lead releases a batch." in page


def unused(batch: Batch, exam: Course) -> list[int]:
    """The places of the images that are not in ada's attempt."""
    held = set(batch.assignments.values_list("image", flat=True))
    return [place for place, image in enumerate(exam.images) if image.pk not in held]


def test_the_result_never_shows_an_answer(ada: Client, db: None, exam: Course) -> None:
    exam.project.slug = "other"
    five = exam
    batch = release(five, images=4)
    finish(batch, five.ada, WRONG)
    page = ada.get(reverse("qualification_result", args=[batch.pk])).content.decode()
    for term in ("1/4c", "1/3b", "2/2a"):
        assert term not in page


def test_after_failing_training_begins_again_from_the_result(ada: Client, exam: Course) -> None:
    training = exam.batch(references=[one.pk for one in exam.references[2:]])
    for row in rows_of(training, exam.ada):
        submit(row, REFERENCE)
    exam.references = exam.references[:2]
    batch = release(exam)
    place = reverse("qualification_result", args=[batch.pk])
    assert "train-again" not in codes(ada.get(place).content.decode())
    finish(batch, exam.ada, WRONG)
    assert "train-again" in codes(ada.get(place).content.decode())
    last = rows_of(training, exam.ada)[-1]
    assert ada.post(reverse("training_feedback", args=[last.pk])).status_code == 302
    assert len(rows_of(training, exam.ada, 2)) == 2
    # It is under way in the queue now.
    assert "train-again" not in codes(ada.get(place).content.decode())


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
