"""A form that asks which images are generated: blind, released with real images, which then count."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotator.models import Batch, Project
from annotator.protocols.rating_form.checking import FormDraft, definition_of_file, typed
from annotator.protocols.rating_form.stored import FormRefused, save_form
from annotator.protocols.registry import page_of
from annotator.web.views.guidelines.rating_forms import templates
from scoring.rating_form.definition import definition_of
from scoring.service import get_protocol
from tests.annotator.web.views.speaking import answer_body, post
from tests.factories import LEAD, make_image, make_member, make_project, make_user, user_of

ORIGIN: dict[str, Any] = templates()["origin"]
ITEM, SURE = ORIGIN["items"]


@pytest.mark.parametrize(
    ("items", "more", "told"),
    [
        ([ITEM | {"detects": "maybe"}], {}, "“maybe” is not one of two answers to “Is the image real"),
        ([ITEM | {"options": [*ITEM["options"], ["no", "No idea"]]}], {}, "is not one of two answers"),
        ([ITEM, ITEM | {"name": "again"}], {}, "Only one question can ask which images are generated."),
        ([ITEM], {"prompt": "shown"}, "A form that asks which images are generated hides the prompt."),
    ],
)  # fmt: skip
def test_what_cannot_detect_is_refused(items: list[Any], more: dict[str, Any], told: str) -> None:
    with pytest.raises(FormRefused) as refused:
        definition_of_file(json.dumps({**ORIGIN, "items": items, **more}).encode())
    assert told in str(refused.value)


def test_a_no_can_mean_generated_and_comes_back() -> None:
    item = {"name": "real", "kind": "yes_no", "title": "Is it real?", "detects": False}
    found = definition_of_file(json.dumps(ORIGIN | {"headline": "real", "items": [item]}).encode())
    assert (found.items[0].detects, found.is_blind) == (False, True)
    assert FormDraft(typed(found.as_json())).definition() == found
    other = definition_of_file(json.dumps(ORIGIN | {"headline": "origin", "items": [SURE]}).encode())
    assert not any(item.detects for item in other.items)


@pytest.fixture
def project() -> Project:
    made = make_project("pilot")
    for code in ("ada", "lead"):
        make_member(made, LEAD if code == "lead" else "annotator", user=make_user(code), code=code)
    save_form(made, definition_of(ORIGIN), None)
    for number in range(2):
        make_image(made, generator="flux", prompt="jogging", number=number)
    return made


def said(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, project="pilot", **options)
    return out.getvalue()


@pytest.mark.django_db
def test_real_images_are_needed_and_count(project: Project) -> None:
    slug = definition_of(ORIGIN).slug
    assert page_of(slug).blind
    assert get_protocol(slug).detects == ("origin", 1)
    with pytest.raises(CommandError, match="add images whose column “source” is “real”"):
        said("assign", annotators="ada", overlap="0", protocol=slug)
    assert not Batch.objects.exists()
    make_image(project, generator="", prompt="jogging", number=9, attributes={"source": "real"})
    said("assign", annotators="ada", overlap="0", protocol=slug)
    client, batch = Client(), Batch.objects.get()
    user = user_of(project.memberships.get(code="ada"))
    client.force_login(user)
    for assignment in batch.assignments.order_by("position"):
        answer = answer_body({"answers": {"origin": "generated", "confidence": 4}})
        assert post(client, "answer_submit", assignment, answer).status_code == 200
    found = json.loads(said("report", "comparison", json=True))
    assert found["answers"] == {"submitted": 3, "counted": 3, "not_counted": []}
    (table,) = [one for one in found["tables"] if one["name"] == "detection"]
    reader, every = table["rows"]
    assert reader[:3] == ["ada", 2, 1]
    assert [one["value"] for one in reader[3:6]] == pytest.approx([2 / 3, 1, 0])
    assert every[3]["refused"] == "too few: 2 generated and 1 real images; 5 of each are needed"
