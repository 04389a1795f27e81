"""Pages of training: references and feedback."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.models import Adjudication, Assignment, Batch, Image, Reference
from annotator.training.references import components_of, retire_reference
from tests.annotator.training.making import Course, make_course, submit
from tests.annotator.web.views.conftest import signed_in
from tests.factories import ANSWER, REFERENCE, make_assignment, make_payload, make_stored_image

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead(course: Course) -> Client:
    return signed_in(course.lead)


def address(name: str, *parts: object) -> str:
    return f"{reverse(name, args=['course', *parts])}?protocol=anatomy"


def test_the_list_shows_each_marked_cell_with_its_rationale(lead: Client, course: Course) -> None:
    page = lead.get(address("references")).content.decode()
    for title in ("Missing · Limbs", "Missing · Hands", "Missing · Face", "Configuration · Hands"):
        assert title in page
    assert "The mouth is missing in both faces." in page


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
        settled_from=[],
        decided_by=course.lead,
        decided_at=timezone.now(),
    )
    made = lead.post(place, follow=True)
    found = Reference.objects.get(image=image)
    assert (found.origin, found.payload["marks"]) == ("adjudicated", make_payload(REFERENCE)["marks"])
    assert made.redirect_chain[-1][0].endswith(f"&only={found.pk}")


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
    assert lead.post(address("training_new"), sent).status_code == 302
    batch = Batch.objects.get()
    assert batch.name == "First steps"
    assert set(batch.assignments.values_list("annotator__code", "purpose")) == {("bob", "training")}
    page = lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert "0 of 2" in page
    assert 'data-code="training"' in lead.get(address("batches")).content.decode()


@pytest.mark.parametrize(("order", "first"), [("few", 1), ("made", 0), ("?", 0)])
def test_training_begins_with_few_errors_or_as_references_were_made(
    lead: Client, course: Course, order: str, first: int
) -> None:
    # The second reference marks nothing.
    sent = {
        "name": "First steps",
        "person": [course.bob.pk],
        "order": order,
        "reference": [one.pk for one in course.references],
    }
    assert lead.post(address("training_new"), sent).status_code == 302
    row = Batch.objects.get().assignments.get(position=1)
    assert row.image_id == course.references[first].image_id


def test_a_refused_training_keeps_what_was_chosen(lead: Client, course: Course) -> None:
    sent = {"name": "First steps", "reference": [course.references[1].pk]}
    refused = lead.post(address("training_new"), sent)
    page = refused.content.decode()
    assert (refused.status_code, Batch.objects.count()) == (422, 0)
    assert 'data-code="nobody"' in page
    # The image, and the order.
    assert page.count(" checked") == 2
    assert f'name="reference" value="{course.references[1].pk}" checked' in page


def test_a_cell_without_an_error_is_explained_from_the_form(lead: Client, course: Course) -> None:
    first = course.references[0]
    place = address("reference_change", first.pk)
    assert lead.post(place, {"cell": "proportion.face", "more": "It fits the body."}).status_code == 302
    first.refresh_from_db()
    assert first.rationales["proportion.face"] == "It fits the body."
    page = lead.get(address("references")).content.decode()
    assert 'name="rationale.proportion.face"' in page
    for sent in ({"cell": "", "more": "Why so?"}, {"cell": "extra.tail", "more": "Why so?"}):
        refused = lead.post(place, sent)
        assert refused.status_code == 422
        assert "Why so?" in refused.content.decode()
    first.refresh_from_db()
    assert set(first.rationales) == {"missing.face", "proportion.face"}


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


def sent(client: Client, row: Assignment) -> dict[str, object]:
    said = {"version": 0, "request_key": str(uuid4()), "payload": make_payload(ANSWER), "capture": {}}
    answer = client.post(reverse("answer_submit", args=[row.pk]), said, content_type="application/json")
    assert answer.status_code == 200, answer.content
    found: dict[str, object] = answer.json()
    return found


def test_submitting_names_the_feedback(ada: Client, course: Course) -> None:
    first, _ = rows_of(course)
    assert sent(ada, first)["feedback_url"] == reverse("training_feedback", args=[first.pk])


def test_work_and_retired_references_name_none(ada: Client, course: Course) -> None:
    first, second = rows_of(course)
    retire_reference(reference=course.references[0], actor=course.actor)
    assert "feedback_url" not in sent(ada, first)
    assert "feedback_url" not in sent(ada, make_assignment(course.ada))
    assert "feedback_url" in sent(ada, second)


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
