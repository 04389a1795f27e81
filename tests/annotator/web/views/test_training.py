"""References, training, qualifications and feedback as pages."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.models import Adjudication, Assignment, Batch, Image, Reference
from annotator.training.references import components_of
from tests.annotator.training.making import WRONG, Course, finish, make_course, release, submit
from tests.factories import ANSWER, REFERENCE, make_assignment, make_payload, make_stored_image
from tests.support.codes import codes
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def taught(db: None) -> Course:
    made = make_course()
    Image.objects.update(generator="SecretModel", prompt="secret prompt")
    made.batch()
    return made


@pytest.fixture
def ada(taught: Course) -> Client:
    return signed_in(taught.ada)


def own_rows(taught: Course) -> list[Assignment]:
    return list(taught.ada.assignments.order_by("position"))


def test_the_form_without_script_leads_to_the_feedback(ada: Client, taught: Course) -> None:
    first, second = own_rows(taught)
    page = ada.post(
        reverse("label", args=[first.pk]),
        {"version": 0, "request_key": uuid4(), "action": "submit", "no_errors": "on"},
    )
    assert (page.status_code, page["Location"]) == (302, reverse("training_feedback", args=[first.pk]))
    shown = ada.get(page["Location"]).content.decode()
    assert "0 cells match, 4 differ" in shown
    assert reverse("label", args=[second.pk]) in shown
    assert "no-errors" in codes(ada.get(reverse("label", args=[first.pk])))


def test_the_feedback_shows_both_sides_and_the_rationale_only(ada: Client, taught: Course) -> None:
    first, _ = own_rows(taught)
    submit(first, ANSWER)
    page = ada.get(reverse("training_feedback", args=[first.pk])).content.decode()
    for text in ("1 cell matches, 4 differ", "The mouth is missing in both faces.", "0.883", "1.117"):
        assert text in page
    assert "SecretModel" not in page
    assert "secret prompt" not in page


def test_after_the_last_image_work_is_begun_from_the_queue(ada: Client, taught: Course) -> None:
    rows, work = own_rows(taught), make_assignment(taught.ada)
    for row in rows:
        submit(row, [])
    page = ada.get(reverse("training_feedback", args=[rows[-1].pk]))
    assert page.context["finished"]
    assert page.context["upcoming"] is None
    assert reverse("label", args=[work.pk]) not in page.content.decode()


@pytest.fixture
def lead(course: Course) -> Client:
    return signed_in(course.lead)


def address(name: str, *parts: object) -> str:
    return f"{reverse(name, args=['course', *parts])}?protocol=anatomy"


def test_an_adjudicated_image_becomes_a_reference(lead: Client, course: Course) -> None:
    image = make_stored_image(course.project)
    place = address("reference_add", image.public_id)
    refused = lead.post(place, follow=True)
    assert "not adjudicated" in refused.content.decode()
    Adjudication.objects.create(
        image=image,
        protocol="anatomy",
        payload=make_payload(REFERENCE),
        ratings=[],
        adjudicated_from=[],
        decided_by=course.lead,
        decided_at=timezone.now(),
    )
    made = lead.post(place, follow=True)
    found = Reference.objects.get(image=image)
    assert (found.origin, found.payload["marks"]) == ("adjudicated", make_payload(REFERENCE)["marks"])
    assert made.redirect_chain[-1][0].endswith(f"#reference-{found.pk}")


def test_rationales_are_stored_and_a_refused_text_stays_typed(lead: Client, course: Course) -> None:
    first = course.references[0]
    place = address("reference_change", first.pk)
    texts = {f"rationale.{key}": f"why {key}" for key in components_of(first)}
    assert lead.post(place, texts).status_code == 302
    first.refresh_from_db()
    assert first.rationales == {key: f"why {key}" for key in components_of(first)}
    refused = lead.post(place, {**texts, "rationale.missing.face": "y" * 401})
    assert refused.status_code == 422
    assert "y" * 401 in refused.content.decode()
    assert "why missing.hands" in refused.content.decode()


def test_a_training_batch_is_released_from_the_form(lead: Client, course: Course) -> None:
    sent = {
        "name": "First steps",
        "person": [course.bob.pk],
        "reference": [one.pk for one in course.references],
    }
    assert lead.post(address("references"), sent).status_code == 302
    batch = Batch.objects.get()
    assert batch.name == "First steps"
    assert set(batch.assignments.values_list("annotator__code", "purpose")) == {("bob", "training")}
    page = lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert "0 of 2" in page
    assert 'data-code="training"' in lead.get(address("batches")).content.decode()


def test_the_result_never_shows_an_answer(exam: Course) -> None:
    batch = release(exam, images=4)
    finish(batch, exam.ada, WRONG)
    page = signed_in(exam.ada).get(reverse("qualification_result", args=[batch.pk])).content.decode()
    for term in ("1/4c", "1/3b", "2/2a"):
        assert term not in page
