"""What stands for each score in the guideline of realism: drawings, or images with blurred faces."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image as Pictures

from annotator.faces.decisions import decide_from_file, take_back
from annotator.guidelines.content import Example, GuidelineRefused
from annotator.images.decoding import decode_image
from annotator.images.display import store_image
from annotator.images.signed_urls import image_url
from annotator.models import Image, Membership, Project, Reference
from annotator.protocols.page import OwnGuide
from annotator.protocols.realism.page import COMPONENTS, EXEMPLAR_SIZE, context
from annotator.protocols.realism.scale import EXEMPLARS
from annotator.training.references import add_reference, retire_reference
from tests.annotator.guidelines.making import drafted, publication
from tests.factories import LEAD, make_assignment, make_batch, make_member, make_project, user_of

FACE = [[60.0, 60.0, 80.0, 80.0]]
READ = "/projects/rated/guideline/?protocol=realism"
EDIT = "/projects/rated/guideline/edit/?protocol=realism"


def test_every_score_and_invalid_has_a_drawing() -> None:
    said = context(OwnGuide())
    shown = [each for *_, exemplars in said["tiers"] for each in exemplars] + said["invalid_exemplars"]
    assert [each.title for each in shown] == [*map(str, range(1, 11)), "Invalid"]
    assert [each.picture for each in shown] == [f"img/realism/{name}.webp" for name in COMPONENTS]
    assert list(EXEMPLARS) == list(COMPONENTS)
    drawings = (settings.BASE_DIR / "static" / "img" / "realism").iterdir()
    assert {path.name for path in drawings} == {f"{name}.webp" for name in COMPONENTS}
    for each in shown:
        with Pictures.open(settings.BASE_DIR / "static" / each.picture) as drawn:
            assert drawn.size == EXEMPLAR_SIZE
    assert context(OwnGuide(drawn=False))["invalid_exemplars"] == []


@pytest.fixture
def project(db: None) -> Project:
    return make_project("rated")


@pytest.fixture
def lead(project: Project) -> Membership:
    return make_member(project, LEAD)


@pytest.fixture
def image(project: Project, lead: Membership) -> Image:
    buffer = BytesIO()
    Pictures.effect_noise((200, 200), 50).save(buffer, "PNG")
    buffer.seek(0)
    made = store_image(
        project=project,
        decoded=decode_image(buffer, max_pixels=10**6, max_bytes=10**6),
        source_name="quillfern_7.png",
        generator="Quillfern",
        prompt="a dancer",
        number=7,
    )
    refer(made, lead, {"rating": 7})
    return made


def refer(image: Image, lead: Membership, payload: dict[str, object]) -> Reference:
    return add_reference(
        image=image,
        protocol="realism",
        payload=payload,
        origin=Reference.Origin.IMPORTED,
        actor=user_of(lead),
    )


def decided(image: Image, rectangles: list[list[float]]) -> None:
    decide_from_file(project=image.project, faces={image.pk: rectangles}, actor=None, facts={"file": "f"})
    image.refresh_from_db()


def browser(member: Membership) -> Client:
    client = Client()
    client.force_login(user_of(member))
    return client


def with_example(lead: Membership, image: Image, name: str = "7") -> None:
    drafted(lead, "realism", examples=(Example(str(image.public_id), (name,), "A finger."),))
    publication(lead, protocol="realism")


def test_an_image_needs_a_reference_and_a_decision_on_faces(image: Image, lead: Membership) -> None:
    assert str(image.public_id) not in browser(lead).get(EDIT).content.decode()
    decided(image, FACE)
    assert f'name="add" value="{image.public_id}"' in browser(lead).get(EDIT).content.decode()
    take_back(image=image, member=lead)
    with pytest.raises(GuidelineRefused, match=r"Example 1: the image .* lacks a reference"):
        with_example(lead, image)
    decided(image, FACE)
    publication(lead, protocol="realism")
    stored = lead.project.guidelines.get().versions.get().content["examples"]
    assert [mark["title"] for one in stored for mark in one["marks"]] == ["Rating 7"]


def test_raters_see_the_copy_without_faces_in_place_of_the_drawing(image: Image, lead: Membership) -> None:
    rater = make_member(lead.project)
    decided(image, FACE)
    with_example(lead, image)
    page = browser(rater).get(READ).content.decode()
    assert "img/realism/6.webp" in page
    assert "img/realism/7.webp" not in page
    assert [word for word in ("Quillfern", "a dancer", image.source_name, image.sha256) if word in page] == []
    [address] = re.findall(r'src="(/pictures/[^"]+)"', page)
    seen = browser(rater).get(address).getvalue()
    whole = browser(lead).get(image_url(image, user_of(lead)))
    assert seen != whole.getvalue()
    assert Pictures.open(BytesIO(seen)).size == (image.width, image.height)
    # No address leads to the whole image, and none to either copy from outside.
    assert browser(rater).get(image_url(image, user_of(rater))).status_code == 404
    stranger = make_member(make_project())
    assert browser(stranger).get(image_url(image, user_of(stranger), blurred=True)).status_code == 404


def test_an_example_is_hidden_while_its_image_is_to_be_rated_or_its_value_changed(
    image: Image, lead: Membership
) -> None:
    decided(image, FACE)
    with_example(lead, image)
    rater, other = make_member(lead.project), make_member(lead.project)
    make_assignment(rater, image=image, batch=make_batch(lead.project, protocol="realism"))
    assert "img/realism/7.webp" in browser(rater).get(READ).content.decode()
    assert "img/realism/7.webp" not in browser(other).get(READ).content.decode()
    found = refer(image, lead, {"rating": 8})
    assert "img/realism/7.webp" in browser(other).get(READ).content.decode()
    retire_reference(reference=found, actor=user_of(lead))
    assert "lost-example" in browser(lead).get(EDIT).content.decode()
