"""The prompts' groups in one place."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotator.models import Event, Project
from annotator.web.views.lead import prompts as views
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


def test_prompts_are_shown_with_their_groups(project: Project, as_lead: Client) -> None:
    page = as_lead.get(PROMPTS)
    shown = [(row.prompt.prompt, row.prompt.images, row.choice, row.own) for row in page.context["rows"]]
    assert shown == [("hug", 3, "", ""), ("run", 1, "pair", ""), ("sit", 1, "own", "solo")]
    assert numbers(page, "without-group") == ["1", "3"]


def test_groups_are_saved_with_an_event(project: Project, as_lead: Client) -> None:
    fields = sent(("hug", "pair", ""), ("run", "own", " a crowd "), ("sit", "", "left over"))
    answer = as_lead.post(PROMPTS, fields, follow=True)
    assert numbers(answer, "saved") == ["3"]
    assert groups(project) == {"hug": "pair", "run": "a crowd", "sit": ""}
    assert Event.objects.get(verb="prompt_groups_set").data["replaced"]["sit"] == ["solo"]
    again = as_lead.post(PROMPTS, fields, follow=True)
    assert "unchanged" in codes(again)


def test_a_row_without_a_choice_stays_as_it_is(project: Project, as_lead: Client) -> None:
    as_lead.post(PROMPTS, sent(("hug", "own", " "), ("run", "other", ""), ("sit", "group", "")))
    assert groups(project) == {"hug": "", "run": "pair", "sit": "group"}


def test_a_group_that_cannot_be_is_said_in_its_row(project: Project, as_lead: Client) -> None:
    answer = as_lead.post(PROMPTS, sent(("hug", "pair", ""), ("sit", "own", "x" * 81)))
    assert answer.status_code == 422
    rows = {row.prompt.prompt: row for row in answer.context["rows"]}
    assert (rows["sit"].own, rows["hug"].choice) == ("x" * 81, "pair")
    assert rows["sit"].error == "Use at most 80 characters for the group name."
    assert groups(project)["hug"] == ""


def test_mixed_groups_are_said_and_kept(project: Project, as_lead: Client) -> None:
    make_image(project, prompt="run", prompt_group="group")
    page = as_lead.get(PROMPTS)
    assert page.context["rows"][1].choice == "mixed"
    assert "mixed" in codes(page)


def test_a_form_without_its_key_changes_nothing(project: Project, as_lead: Client) -> None:
    assert as_lead.post(PROMPTS, sent(("hug", "pair", ""), request_key="x")).status_code == 400
    assert groups(project)["hug"] == ""


def test_a_project_without_images_leads_to_them(study: Study, as_lead: Client) -> None:
    study.project.images.exclude(assignments__isnull=False).delete()
    study.of_bob.delete()
    for assignment in study.assignments:
        assignment.delete()
    study.project.images.all().delete()
    html = as_lead.get(PROMPTS).content.decode()
    assert codes(html) == ["no-prompt"]
    assert 'href="/projects/pilot/uploads/">Add images' in html


@pytest.mark.parametrize("count", [1, 3])
def test_queries_do_not_grow(
    project: Project, as_lead: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(count - 1):
        make_image(project, prompt=f"more {number}")
    with django_assert_num_queries(8):
        as_lead.get(PROMPTS)


def test_many_prompts_come_in_pages(
    project: Project, as_lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "ROWS", 2)
    second = as_lead.get(PROMPTS, {"page": "2"})
    assert [row.prompt.prompt for row in second.context["rows"]] == ["sit"]
    answer = as_lead.post(f"{PROMPTS}?page=2", sent(("sit", "pair", "")))
    assert answer["Location"] == f"{PROMPTS}?page=2"
