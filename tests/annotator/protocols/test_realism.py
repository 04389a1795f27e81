"""Ratings: the form of one choice, files made elsewhere, and what stands for each score in the guideline."""

from __future__ import annotations

import json
import re
import uuid
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from PIL import Image as Pictures

from annotator.annotations.adjudication import AdjudicationRefused, adjudicate
from annotator.batches.assignments import InvalidBatch, change_batch_settings
from annotator.faces.decisions import decide_from_file, take_back
from annotator.guidelines.content import Example, GuidelineRefused
from annotator.images.display import store_image
from annotator.images.signed_urls import image_url
from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project, Reference
from annotator.protocols.page import OwnGuide
from annotator.protocols.realism.form import RealismForm
from annotator.protocols.realism.page import COMPONENTS, EXEMPLAR_SIZE, context
from annotator.protocols.realism.scale import EXEMPLARS
from annotator.protocols.realism.sheet_format import read, written
from annotator.training.references import add_reference
from annotator.web.views.lead.batches import BatchSettingsForm
from scoring.protocol import Payload
from scoring.realism.protocol import INVALID_REASONS, REALISM, clean
from tests.annotator.acting import address, typed
from tests.annotator.guidelines.making import drafted, publication
from tests.factories import LEAD, make_assignment, make_image, make_member, make_project, make_user, user_of
from tests.support.codes import codes
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


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


@pytest.fixture
def work(project: Project) -> list[Assignment]:
    """Two images to rate."""
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
    assert "see" in as_ada.get(reverse("label", args=[work[0].pk])).content.decode()
    as_ada.post(address(work[1]), typed("submit", rating="no_person"))
    assert Annotation.objects.get(assignment=work[1]).ratings == [["invalid", "no_person", "1/1"]]
    assert "all-done" in codes(as_ada.get(reverse("queue", args=["pilot"])))


@pytest.mark.parametrize(
    ("fields", "field"), [({}, "__all__"), ({"rating": "11"}, "rating"), ({"rating": "other"}, "note")]
)
def test_refused_by_field(work: list[Assignment], as_ada: Client, fields: dict[str, Any], field: str) -> None:
    page = as_ada.post(address(work[0]), typed("submit", **fields))
    assert (page.status_code, list(page.context["form"].errors)) == (422, [field])
    assert not Annotation.objects.exists()


def test_prompt_and_generator_stay_hidden(work: list[Assignment]) -> None:
    batch = work[0].batch
    how: dict[str, Any] = {"batch": batch, "guided": False, "score_shown": batch.score_shown, "actor": None}
    with pytest.raises(InvalidBatch, match="must not see the prompt or the generator"):
        change_batch_settings(show_prompt=True, show_generator=True, **how)
    assert not BatchSettingsForm(None, batch=batch).fields.keys() & {"show_prompt", "show_generator"}


def test_an_image_is_not_adjudicated(work: list[Assignment]) -> None:
    project, image = work[0].batch.project, work[0].image
    lead = make_member(project, LEAD)
    asked: dict[str, Any] = {"image": image, "protocol": "realism", "payload": {"rating": 7}}
    with pytest.raises(AdjudicationRefused, match="are not adjudicated"):
        adjudicate(**asked, actor=user_of(lead), replaces=0, adjudicated_from=[], request_key=uuid.uuid4())
    there = [project.slug, image.public_id]
    answer = signed_in(lead).get(f"{reverse('image_adjudicate', args=there)}?protocol=realism")
    assert (answer.status_code, answer["Location"]) == (302, reverse("image_detail", args=there))


HEADER = "generator,prompt,number,annotator,rating,invalid,note"


@pytest.mark.parametrize("payload", [{"rating": 7}, {"rating": 10, "note": "n"}, {"invalid": "no_person"}])
def test_what_is_written_is_read_as_the_same(payload: dict[str, Any]) -> None:
    said = clean(payload).payload()
    assert read(written(said)).payload == said


@pytest.mark.parametrize(
    ("cells", "payload"),
    [
        ({"rating": "7.0", "invalid": "no"}, {"rating": 7}),
        ({"rating": "10,00"}, {"rating": 10}),
        ({"invalid": "not-photorealistic"}, {"invalid": "not_photorealistic"}),
        ({"invalid": "yes", "note": "a statue"}, {"invalid": "other", "note": "a statue"}),
    ],
)
def test_what_is_meant_is_repaired(cells: dict[str, str], payload: dict[str, Any]) -> None:
    assert read(cells).payload == {**REALISM.empty(), **payload}


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({}, "rating"),
        ({"rating": "11"}, "rating"),
        ({"rating": "٧"}, "rating"),
        ({"invalid": "ugly"}, "invalid"),
        ({"invalid": "yes"}, "note"),
        ({"rating": "7", "invalid": "no_person"}, "invalid"),
        ({"rating": "7", "note": "x" * 2001}, "note"),
    ],
)
def test_anything_else_is_named_by_its_column(cells: dict[str, str], column: str) -> None:
    reading = read(cells)
    assert reading.payload is None
    assert [problem[0] for problem in reading.problems] == [column]


@pytest.fixture
def pilot(project: Project) -> Project:
    """A project with three images."""
    for number in (1, 2, 3):
        make_image(project, generator="gA", prompt="a man", number=number, source_name=f"gA-{number}.png")
    return project


def imported(file: Path, *more: str) -> dict[str, Any]:
    """Import a file and return the outcome."""
    out = StringIO()
    call_command("import_answers", str(file), "--project=pilot", "--protocol=realism", *more, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def said() -> list[tuple[Any, ...]]:
    """Return what is stored."""
    columns = ("assignment__image__number", "assignment__annotator__code")
    return sorted(Annotation.objects.values_list(*columns, "payload__rating", "payload__invalid"))


def test_a_table_comes_in_once(pilot: Project, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(f"{HEADER}\ngA,a man,1,r1,7,,\nga,A man,1,r2,8.0,,\ngA,a man,2,r1,,no person,\n")
    assert imported(file)["annotations"]["added"] == 3
    expected = [(1, "r1", 7, None), (1, "r2", 8, None), (2, "r1", None, "no_person")]
    assert said() == expected
    again = imported(file)["annotations"]
    assert (again["added"], again["existing"], said()) == (0, 3, expected)
    assert Annotation.objects.first().ratings == [["rating", "", "7/1"]]  # type: ignore[union-attr]


def test_a_path_is_compared_in_one_unicode_form(pilot: Project, tmp_path: Path) -> None:
    make_image(pilot, number=4, source_name="images/hände/k_01.png")
    file = tmp_path / "ratings.csv"
    file.write_text("annotator,file,rating\nr1,ha\u0308nde/k_01.png,9\n")
    imported(file)
    assert said() == [(4, "r1", 9, None)]


def test_bad_rows_are_refused_and_lose_nothing(pilot: Project, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    lines = ["gA,a man,1,r1,7,,", "gA,a man,2,r1,11,,", ",a man,2,r1,4,,", "gA,a man,9,r1,4,,"]
    file.write_text("\n".join([HEADER, *lines, "gA,a man,3,r1,4,,", "gA,a man,3,r1,5,,"]))
    found = imported(file)
    assert said() == [(1, "r1", 7, None)]
    refused = [(row["row"], row["column"]) for row in found["unmatched"]["rows"]]
    assert refused == [(3, "rating"), (4, "generator"), (5, "number"), (6, "Annotator"), (7, "Annotator")]
    # Another rating of the same image by the same person is named, and changes nothing.
    file.write_text(f"{HEADER}\ngA,a man,1,r1,2,,\n")
    with pytest.raises(CommandError, match="Nothing was imported"):
        imported(file)
    assert said() == [(1, "r1", 7, None)]


FACE = [[60.0, 60.0, 80.0, 80.0]]
READ = "/projects/pilot/guideline/?protocol=realism"
EDIT = "/projects/pilot/guideline/edit/?protocol=realism"


def test_every_score_and_invalid_has_a_drawing() -> None:
    said = context(OwnGuide())
    shown = [each for *_, exemplars in said["tiers"] for each in exemplars] + said["invalid_exemplars"]
    assert [each["title"] for each in shown] == [*map(str, range(1, 11)), "Invalid"]
    assert [each["picture"] for each in shown] == [f"img/realism/{name}.webp" for name in COMPONENTS]
    assert list(EXEMPLARS) == list(COMPONENTS)
    drawings = (settings.BASE_DIR / "static" / "img" / "realism").iterdir()
    assert {path.name for path in drawings} == {f"{name}.webp" for name in COMPONENTS}
    for each in shown:
        with Pictures.open(settings.BASE_DIR / "static" / each["picture"]) as drawn:
            assert drawn.size == EXEMPLAR_SIZE
    assert context(OwnGuide(drawn=False))["invalid_exemplars"] == []


@pytest.fixture
def image(project: Project, lead: Membership) -> Image:
    buffer = BytesIO()
    Pictures.effect_noise((200, 200), 50).save(buffer, "PNG")
    buffer.seek(0)
    made = store_image(
        project=project,
        contents=buffer.getvalue(),
        source_name="quillfern_7.png",
        generator="Quillfern",
        prompt="a dancer",
        number=7,
    )
    known: dict[str, Any] = {"origin": Reference.Origin.IMPORTED, "actor": user_of(lead)}
    add_reference(image=made, protocol="realism", payload={"rating": 7}, **known)
    return made


def decided(image: Image, rectangles: list[list[float]]) -> None:
    decide_from_file(project=image.project, faces={image.pk: rectangles}, actor=None, facts={"file": "f"})
    image.refresh_from_db()


def with_example(lead: Membership, image: Image, name: str = "7") -> None:
    drafted(lead, "realism", examples=(Example(str(image.public_id), (name,), "A finger."),))
    publication(lead, protocol="realism")


def test_an_image_needs_a_reference_and_a_decision_on_faces(image: Image, lead: Membership) -> None:
    assert str(image.public_id) not in signed_in(lead).get(EDIT).content.decode()
    decided(image, FACE)
    assert f'name="add" value="{image.public_id}"' in signed_in(lead).get(EDIT).content.decode()
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
    page = signed_in(rater).get(READ).content.decode()
    assert "img/realism/6.webp" in page
    assert "img/realism/7.webp" not in page
    assert [word for word in ("Quillfern", "a dancer", image.source_name, image.sha256) if word in page] == []
    [address] = re.findall(r'src="(/pictures/[^"]+)"', page)
    seen = signed_in(rater).get(address).getvalue()
    whole = signed_in(lead).get(image_url(image, user_of(lead)))
    assert seen != whole.getvalue()
    assert Pictures.open(BytesIO(seen)).size == (image.width, image.height)
    # No address leads to the whole image, and none to either copy from outside.
    assert signed_in(rater).get(image_url(image, user_of(rater))).status_code == 404
    stranger = make_member(make_project())
    assert signed_in(stranger).get(image_url(image, user_of(stranger), blurred=True)).status_code == 404
