"""The realism form: one choice among ratings and reasons, as a browser without script sends it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.annotations.adjudication import AdjudicationRefused, adjudicate
from annotator.batches.assignments import InvalidBatch, change_batch_settings
from annotator.models import Annotation, Assignment, Batch, Membership
from annotator.protocols.realism.form import RealismForm
from annotator.web.views.lead.batches import BatchSettingsForm
from scoring.protocol import Payload
from scoring.realism.protocol import INVALID_REASONS, REALISM
from tests.annotator.acting import address, typed
from tests.factories import make_assignment, make_image, make_member, make_project, make_user, user_of
from tests.support.codes import codes
from tests.support.signing_in import signed_in


def bound(fields: dict[str, Any], stored: Payload | None = None) -> RealismForm:
    """Return a form as sent."""
    sent = {"version": "0", "request_key": str(uuid.uuid4()), **fields}
    form = RealismForm(sent, stored=stored or REALISM.empty())
    form.full_clean()
    return form


@pytest.mark.parametrize("rating", range(1, 11))
def test_a_rating_is_stored_as_a_number(rating: int) -> None:
    stored = {**REALISM.empty(), "invalid": "no_person", "flag": {"reason": "other", "note": "kept"}}
    payload = REALISM.clean(bound({"rating": str(rating)}, stored).payload()).payload()
    assert payload == {"rating": rating, "invalid": None, "note": "", "flag": stored["flag"]}
    assert RealismForm(stored=payload)["rating"].value() == str(rating)
    assert RealismForm.result(payload) == str(rating)


@pytest.mark.parametrize("reason", INVALID_REASONS)
def test_a_reason_replaces_the_rating(reason: str) -> None:
    stored = {**REALISM.empty(), "rating": 7}
    payload = REALISM.clean(bound({"rating": reason, "note": "a\r\nb"}, stored).payload()).payload()
    assert payload == {"rating": None, "invalid": reason, "note": "a\nb", "flag": None}
    assert RealismForm(stored=payload)["rating"].value() == reason
    assert RealismForm.result(payload).startswith("Invalid: ")


def test_no_choice_keeps_what_is_stored() -> None:
    assert bound({}, {**REALISM.empty(), "rating": 7}).payload()["rating"] == 7
    assert bound({"rating": "12"}).errors["rating"] == [
        "Refused: “12” is neither a rating from 1 to 10 nor a reason."
    ]


def test_differences_are_in_words() -> None:
    mine, theirs = {"rating": 7, "note": ""}, {"rating": None, "invalid": "no_person", "note": "x"}
    rows = [(one.title, one.mine, one.theirs) for one in bound({}).differences(mine, theirs)]
    assert rows == [("Rating", "7", "Invalid: no person"), ("Note", "", "x")]


@pytest.fixture
def work(db: None) -> list[Assignment]:
    """Two images to rate."""
    project = make_project("pilot")
    ada = make_member(project, user=make_user("ada"), code="ada")
    batch = Batch.objects.create(project=project, name="Realism", protocol="realism")
    images = [make_image(project, generator="gSecret", prompt="a hidden wish", number=n) for n in (1, 2)]
    return [make_assignment(ada, batch=batch, image=image) for image in images]


@pytest.fixture
def as_ada(work: list[Assignment]) -> Client:
    """A client of the annotator."""
    return signed_in(work[0].annotator)


def test_a_rating_is_submitted_and_read(work: list[Assignment], as_ada: Client) -> None:
    as_ada.post(address(work[0]), typed("submit", rating="7", note="see"))
    annotation = Annotation.objects.get()
    assert (annotation.payload["rating"], annotation.status) == (7, "submitted")
    assert annotation.ratings == [["rating", "", "7/1"]]
    assert "see" in as_ada.get(reverse("own_answer", args=[work[0].pk])).content.decode()
    as_ada.post(address(work[1]), typed("submit", rating="no_person"))
    assert Annotation.objects.get(assignment=work[1]).ratings == [["invalid", "no_person", "1/1"]]
    read = as_ada.get(reverse("own_answer", args=[work[1].pk])).content.decode()
    assert "Invalid: no person" in read
    assert "all-done" in codes(as_ada.get(reverse("queue", args=["pilot"])))


@pytest.mark.parametrize(
    ("fields", "field"),
    [({}, "__all__"), ({"rating": "11"}, "rating"), ({"rating": "other"}, "note")],
)
def test_what_cannot_be_is_refused_by_field(
    work: list[Assignment], as_ada: Client, fields: dict[str, Any], field: str
) -> None:
    page = as_ada.post(address(work[0]), typed("submit", **fields))
    assert (page.status_code, list(page.context["form"].errors)) == (422, [field])
    assert not Annotation.objects.exists()


def test_prompt_and_generator_stay_hidden(work: list[Assignment]) -> None:
    batch = work[0].batch
    how: dict[str, Any] = {"batch": batch, "guided": False, "score_shown": batch.score_shown, "actor": None}
    with pytest.raises(InvalidBatch, match="must not see the prompt or the generator"):
        change_batch_settings(show_prompt=True, show_generator=True, **how)
    assert not BatchSettingsForm(None, batch=batch).fields.keys() & {"show_prompt", "show_generator"}


def test_no_page_of_an_annotator_names_prompt_or_generator(work: list[Assignment], as_ada: Client) -> None:
    as_ada.post(address(work[0]), typed("submit", rating="7"))
    pages = [
        *map(address, work),
        reverse("own_answer", args=[work[0].pk]),
        reverse("queue", args=["pilot"]),
        reverse("guideline", args=["pilot"]) + "?protocol=realism",
    ]
    for page in pages:
        found = as_ada.get(page)
        assert found.status_code == 200
        assert not any(word in found.content.decode() for word in ("gSecret", "a hidden wish", "hidden_wish"))


def test_an_image_is_not_adjudicated(work: list[Assignment]) -> None:
    project = work[0].batch.project
    lead: Membership = make_member(project, user=make_user("eva"), code="eva", role="lead")
    with pytest.raises(AdjudicationRefused, match="are not adjudicated"):
        adjudicate(
            image=work[0].image,
            protocol="realism",
            actor=user_of(lead),
            payload={"rating": 7},
            replaces=0,
            adjudicated_from=[],
            request_key=uuid.uuid4(),
        )
    client = Client()
    client.force_login(user_of(lead))
    there = [project.slug, work[0].image.public_id]
    answer = client.get(f"{reverse('image_adjudicate', args=there)}?protocol=realism")
    assert (answer.status_code, answer["Location"]) == (302, reverse("image_detail", args=there))
