"""A new batch: proposed, previewed, confirmed, released; with checks."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Assignment, Batch, Event, Job, Plan, Project
from annotator.protocols.rating_form.stored import save_form
from tests.annotator.planned import confirmation, digest_of
from tests.factories import (
    ANNOTATOR,
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_project,
    make_user,
)
from tests.scoring.rating_form.test_rules import PEOPLE
from tests.support.codes import codes
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db: None) -> Project:
    """Two generators, two prompts, 16 images; three annotators and a lead."""
    project = make_project("pilot")
    make_member(project, LEAD, user=make_user("lee"), code="lee")
    for code in ("ada", "bob", "eve"):
        make_member(project, ANNOTATOR, user=make_user(code), code=code)
    for number in range(16):
        generator, prompt = ("painter", "sculptor")[number % 2], ("one", "two")[number // 2 % 2]
        make_image(project, generator=generator, prompt=prompt)
    return project


@pytest.fixture
def lead(project: Project) -> Client:
    return signed_in(project.memberships.get(code="lee"))


def people(project: Project) -> list[int]:
    return list(project.memberships.filter(role="annotator").values_list("pk", flat=True))


def order(project: Project, action: str = "preview", **more: Any) -> dict[str, Any]:
    """What the form sends."""
    sent = {
        "name": "Batch 1",
        "which": "new",
        "annotators": people(project),
        "overlap": "25",
        "per_image": "2",
        "seed": "7",
        "score_shown": "never",
        "action": action,
    }
    return {**sent, **more}


def address(project: Project) -> str:
    return reverse("batch_new", args=[project.slug])


def test_the_plan_is_shown_before_it_is_stored(project: Project, lead: Client) -> None:
    wanted = order(project, show_prompt="on", guided="on", **{f"capacity_{people(project)[0]}": "3"})
    preview = lead.post(address(project), wanted)
    assert (preview.status_code, "not-stored" in codes(preview)) == (200, True)
    table = preview.context["table"]
    assert [load["annotator"] for load in table["loads"]] == ["ada", "bob", "eve"]
    assert (Batch.objects.count(), Plan.objects.count(), Event.objects.count()) == (0, 0, 0)
    answer = lead.post(address(project), confirmation(preview))
    batch = Batch.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, reverse("batch", args=[batch.pk]))
    settings = (batch.name, batch.seed, batch.per_image, float(batch.overlap), batch.status)
    assert settings == ("Batch 1", 7, 2, 0.25, "open")
    shown = (batch.show_prompt, batch.show_generator, batch.guided, batch.score_shown)
    assert shown == (True, False, True, "never")
    assert digest_of(batch) == preview.context["facts"]["digest"]
    assert Assignment.objects.filter(batch=batch).count() == 20
    assert Assignment.objects.filter(batch=batch, annotator__code="ada").count() == 3


def test_questions_are_read_once_more_before_they_are_fixed(project: Project, lead: Client) -> None:
    form = save_form(project, PEOPLE, None)
    wanted = {"protocol": form.slug, "show_prompt": "on"}
    page = lead.post(address(project), order(project, **wanted))
    assert "first-use" in codes(page.content.decode())
    assert page.context["asked"].definition == PEOPLE
    confirmed = lead.post(address(project), confirmation(page))
    assert confirmed.status_code == 302
    again = lead.post(address(project), order(project, name="Batch 2", which="all", **wanted))
    assert again.status_code == 200
    assert "first-use" not in codes(again.content.decode())


def test_what_has_changed_since_is_shown_anew(project: Project, lead: Client) -> None:
    sent = confirmation(lead.post(address(project), order(project)))
    make_image(project, generator="painter", prompt="one")
    again = lead.post(address(project), sent)
    assert again.status_code == 409
    assert "changed" in codes(again)
    assert again.context["facts"]["images"] == 17
    assert not Batch.objects.exists()
    assert lead.post(address(project), confirmation(again)).status_code == 302


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("overlap", {"overlap": ""}, "0 for none"),
    ("overlap", {"overlap": "101"}, "from 0% to 100%"),
    ("per_image", {"per_image": "4"}, "An overlap image needs 4 annotators, and there are 3."),
    ("annotators", {"annotators": ["0"]}, "not active in this project"),
    ("which", {"generators": ["painter"], "prompts": ["alone"], "which": "all"}, "no images to assign"),
    ("generators", {"generators": ["nobody"]}, "Unknown generator: “nobody”."),
    ("seed", {"seed": str(2**63)}, "whole number of 64 bits"),
    ("name", {"name": "Taken"}, "Another batch of this project has this name."),
]


@pytest.mark.parametrize(("field", "wrong", "words"), BAD)
@pytest.mark.parametrize("action", ["preview", "confirm"])
@pytest.mark.few(4)
def test_bad_input_is_said_beside_its_field(
    project: Project, lead: Client, field: str, wrong: dict[str, Any], words: str, action: str
) -> None:
    Batch.objects.create(project=project, name="Taken")
    make_image(project, generator="lens", prompt="alone")
    page = lead.post(address(project), order(project, action, request_key=str(uuid4()), **wrong))
    assert page.status_code == 422
    assert words in " ".join(page.context["form"].errors[field])
    assert words.replace("'", "&#x27;") in page.content.decode()
    assert page.context["form"]["per_image"].value() == wrong.get("per_image", "2")
    assert (Batch.objects.count(), Job.objects.count()) == (1, 0)


@pytest.mark.parametrize(("purpose", "words"), [("training", "knows each of"), ("work", "already assigned")])
def test_no_image_is_left_and_the_form_says_why(
    project: Project, lead: Client, purpose: str, words: str
) -> None:
    batch, ada = make_batch(project), project.memberships.get(code="ada")
    for image in project.images.all():
        make_assignment(ada, batch=batch, image=image, purpose=purpose)
    page = lead.post(address(project), order(project))
    assert (page.status_code, words in " ".join(page.context["form"].errors["which"])) == (422, True)


def test_a_batch_confirmed_twice_is_one(project: Project, lead: Client) -> None:
    sent = confirmation(lead.post(address(project), order(project)))
    first, second = (lead.post(address(project), sent)["Location"] for _ in range(2))
    assert first == second == reverse("batch", args=[Batch.objects.get().pk])
    assert Assignment.objects.count() == 20


@pytest.mark.parametrize(("images", "percent"), [(0, 100), (8, 85), (63, 30), (64, 25), (104, 25)])
def test_the_proposed_overlap_is_enough(project: Project, lead: Client, images: int, percent: int) -> None:
    """Of so many images beside the 16; 85% of 24 are 20; from 80 on, a quarter is enough."""
    for _ in range(images):
        make_image(project, generator="painter", prompt="one")
    form = lead.get(address(project)).context["form"]
    assert (form["overlap"].value(), form["per_image"].value()) == (percent, 2)


def test_images_judged_lately_under_another_protocol_are_told(project: Project, lead: Client) -> None:
    first: dict[str, Any] = {"which": "all", "generators": ["painter"]}
    lead.post(address(project), confirmation(lead.post(address(project), order(project, **first))))
    other = {"which": "all", "name": "Next", "top_up": "", "protocol": "presence"}
    page = lead.post(address(project), order(project, **other))
    assert ("again-soon" in codes(page), page.context["facts"]["images"]) == (True, 16)
