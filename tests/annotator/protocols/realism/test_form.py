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
from annotator.protocols.realism.scale import TIERS
from annotator.web.views.lead.batches import BatchSettingsForm
from scoring.protocol import Payload
from scoring.realism.protocol import INVALID_REASONS, REALISM
from tests.annotator.acting import address, typed
from tests.factories import make_assignment, make_image, make_member, make_project, make_user
from tests.support.codes import codes


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


def test_the_tiers_hold_every_rating_once() -> None:
    assert [rating for tier in TIERS for rating in tier.ratings] == list(range(1, 11))


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
    client = Client()
    assert work[0].annotator.user is not None
    client.force_login(work[0].annotator.user)
    return client


def test_the_page_is_small_and_has_one_choice(work: list[Assignment], as_ada: Client) -> None:
    page = as_ada.get(address(work[0]))
    html = page.content.decode()
    assert html.count('type="radio" name="rating"') == 15
    assert "built/rating_form" in html
    assert '<p class="hint" id="hint">Judge the body only.</p>' in html
    assert len(page.content) < 60_000


def test_the_page_says_that_faces_are_blurred(work: list[Assignment], as_ada: Client) -> None:
    Batch.objects.update(picture=Batch.Picture.FACES_BLURRED)
    html = as_ada.get(address(work[0])).content.decode()
    assert '<p class="hint" id="hint">Judge the body only. Faces are blurred on purpose.</p>' in html


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


def test_the_guide_is_that_of_the_protocol(work: list[Assignment], as_ada: Client) -> None:
    page = as_ada.get("/guide/?protocol=realism").content.decode()
    assert "Guideline for realism" in page
    assert "8 to 10: none or negligible" in page


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


def test_a_lead_changes_nothing_that_annotators_see(work: list[Assignment]) -> None:
    lead = make_member(work[0].batch.project, user=make_user("eva"), code="eva", role="lead")
    client = Client()
    assert lead.user is not None
    client.force_login(lead.user)
    page = reverse("batch_settings", args=[work[0].batch.pk])
    assert "always hides prompt and generator" in client.get(page).content.decode()
    client.post(page, {"show_prompt": "on", "show_generator": "on"})
    work[0].batch.refresh_from_db()
    assert (work[0].batch.show_prompt, work[0].batch.show_generator) == (False, False)


def test_an_image_is_not_adjudicated(work: list[Assignment]) -> None:
    project = work[0].batch.project
    lead: Membership = make_member(project, user=make_user("eva"), code="eva", role="lead")
    assert lead.user is not None
    with pytest.raises(AdjudicationRefused, match="are not adjudicated"):
        adjudicate(
            image=work[0].image,
            protocol="realism",
            actor=lead.user,
            payload={"rating": 7},
            replaces=0,
            adjudicated_from=[],
            request_key=uuid.uuid4(),
        )
    client = Client()
    client.force_login(lead.user)
    there = [project.slug, work[0].image.public_id]
    answer = client.get(f"{reverse('image_adjudicate', args=there)}?protocol=realism")
    assert (answer.status_code, answer["Location"]) == (302, reverse("image_detail", args=there))
