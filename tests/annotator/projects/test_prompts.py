"""Groups of prompts: all images of a prompt at once, with what they had before in an Event."""

from __future__ import annotations

import pytest

from annotator.models import Event, Project
from annotator.projects.prompts import GroupsRefused, set_groups
from tests.factories import make_image, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """Three prompts: one without a group, one in two groups, one in a group of the lead's own."""
    project = make_project("pilot")
    for prompt, group in (("hug", ""), ("hug", ""), ("run", "pair"), ("run", "solo"), ("sit", "solo")):
        make_image(project, prompt=prompt, prompt_group=group)
    make_image(make_project("other"), prompt="hug")
    return project


def groups(project: Project) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for prompt, group in project.images.order_by("prompt", "prompt_group").values_list(
        "prompt", "prompt_group"
    ):
        found.setdefault(prompt, []).append(group)
    return found


def test_groups_are_set_for_all_images_of_a_prompt(project: Project) -> None:
    actor = make_user()
    wanted = {"hug": " pair ", "run": "individual", "sit": "solo", "unknown": "pair"}
    assert set_groups(project=project, groups=wanted, actor=actor) == ["hug", "run"]
    assert groups(project) == {"hug": ["pair"] * 2, "run": ["individual"] * 2, "sit": ["solo"]}
    assert groups(Project.objects.get(slug="other")) == {"hug": [""]}
    event = Event.objects.get(verb="prompt_groups_set")
    assert (event.project, event.actor) == (project, actor)
    assert event.data == {
        "groups": {"hug": "pair", "run": "individual"},
        "replaced": {"hug": [""], "run": ["pair", "solo"]},
    }


@pytest.mark.parametrize("group", ["x" * 81, "a\0b", "a\u202eb"])
def test_a_group_that_cannot_be_changes_nothing(project: Project, group: str) -> None:
    with pytest.raises(GroupsRefused) as refused:
        set_groups(project=project, groups={"hug": "pair", "sit": group}, actor=None)
    assert refused.value.prompt == "sit"
    assert groups(project)["hug"] == ["", ""]
