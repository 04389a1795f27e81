"""The prompts' groups in one place."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotator.models import Event, Project
from tests.annotator.web.views.conftest import Study
from tests.factories import make_image
from tests.support.codes import codes, numbers

PROMPTS = "/projects/pilot/prompts/"


@pytest.fixture
def project(study: Study) -> Project:
    study.project.images.update(prompt="hug")
    make_image(study.project, prompt="run", prompt_group="pair")
    make_image(study.project, prompt="sit", prompt_group="solo")
    return study.project


def sent(*rows: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"request_key": str(uuid4()), "prompt": [prompt for prompt, _, _ in rows]}
    for number, (_, choice, own) in enumerate(rows):
        fields |= {f"group-{number}": choice, f"own-{number}": own}
    return {**fields, **more}


def groups(project: Project) -> dict[str, str]:
    return dict(project.images.order_by("pk").values_list("prompt", "prompt_group"))


def test_groups_are_saved_with_an_event(project: Project, as_lead: Client) -> None:
    fields = sent(("hug", "pair", ""), ("run", "own", " a crowd "), ("sit", "", "left over"))
    answer = as_lead.post(PROMPTS, fields, follow=True)
    assert numbers(answer, "saved") == ["3"]
    assert groups(project) == {"hug": "pair", "run": "a crowd", "sit": ""}
    assert Event.objects.get(verb="prompt_groups_set").data["replaced"]["sit"] == ["solo"]
    again = as_lead.post(PROMPTS, fields, follow=True)
    assert "unchanged" in codes(again)


def test_a_group_that_cannot_be_is_said_in_its_row(project: Project, as_lead: Client) -> None:
    answer = as_lead.post(PROMPTS, sent(("hug", "pair", ""), ("sit", "own", "x" * 81)))
    assert answer.status_code == 422
    rows = {row.prompt.prompt: row for row in answer.context["rows"]}
    assert (rows["sit"].own, rows["hug"].choice) == ("x" * 81, "pair")
    assert rows["sit"].error == "Use at most 80 characters for the group name."
    assert groups(project)["hug"] == ""
