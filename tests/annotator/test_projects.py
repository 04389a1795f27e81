"""Projects: made, with groups of prompts and tags."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError

from annotator.models import Event, Project, User
from annotator.projects.creation import create_project, may_create_projects
from annotator.projects.prompts import GroupsRefused, set_groups
from annotator.projects.tags import TagsRefused, set_tags, tags_of, ticks_of
from tests.analysis.factories import make_submitted
from tests.annotator.acting import save
from tests.factories import make_assignment, make_image, make_member, make_payload, make_project, make_user
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


def make(actor: User, slug: str = "hands", **more: object) -> Project:
    wanted = {"name": "Hands", "slug": slug, "code": "lead-a", **more}
    return create_project(actor=actor, **wanted)  # type: ignore[arg-type]


def test_the_right_to_make_a_project_can_be_given_and_ends_with_the_account() -> None:
    given, off = make_user(), make_user(is_active=False, is_superuser=True)
    given.user_permissions.add(Permission.objects.get(codename="add_project"))
    # tests/permissions has the others.
    assert [may_create_projects(each) for each in (given, off)] == [True, False]


def test_a_project_has_its_maker_as_lead_and_an_event() -> None:
    user = make_user("lee")
    project = make(user)
    member = project.memberships.get()
    assert (member.user, member.role, member.code, member.is_active) == (user, "lead", "lead-a", True)
    event = Event.objects.get(verb="project_created")
    assert (event.project, event.actor) == (project, user)
    assert event.data == {"slug": "hands", "name": "Hands", "code": "lead-a"}


def test_the_same_request_makes_one_project() -> None:
    user, other, key = make_user(), make_user(), uuid4()
    first = make(user, request_key=key)
    assert make(user, request_key=key) == first
    with pytest.raises(ValidationError):
        make(other, request_key=key)
    assert Project.objects.count() == Event.objects.count() == 1


@pytest.mark.parametrize("slug", ["", "new", "two words", "ä", "a/b", "x" * 61, "HANDS", "hands\n"])
def test_an_address_that_cannot_be_is_refused_beside_its_field(slug: str) -> None:
    make(make_user())
    with pytest.raises(ValidationError) as invalid:
        make(make_user(), slug=slug)
    assert list(invalid.value.message_dict) == ["slug"]
    assert Project.objects.count() == 1


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


@pytest.fixture
def tagged_project() -> Project:
    """A project with two tags, the first ticked in a submission and a draft."""
    tagged_project = make_project("pilot", tags=["twinning", "stereotype"])
    member = make_member(tagged_project)
    make_submitted(member, payload=make_payload(tags=[1]))
    make_submitted(member)
    save(make_assignment(member), make_payload(tags=[1, 2]), 0)
    make_submitted(make_member(make_project(tags=["twinning"])), payload=make_payload(tags=[1]))
    return tagged_project


def change(tagged_project: Project, names: dict[int, str], *new: str, confirmed: bool = False) -> bool:
    return set_tags(project=tagged_project, names=names, new=new, actor=make_user(), confirmed=confirmed)


@pytest.mark.databases
def test_a_renamed_tag_keeps_its_ticks(tagged_project: Project) -> None:
    assert change(tagged_project, {1: "  Twin  people "})
    assert tags_of(Project.objects.get(pk=tagged_project.pk)) == {1: "Twin people", 2: "stereotype"}
    assert ticks_of(tagged_project) == {1: 2, 2: 1}
    event = Event.objects.get(verb="tags_set")
    assert event.data == {"replaced": ["twinning", "stereotype"], "tags": ["Twin people", "stereotype"]}
    assert not change(tagged_project, {1: "Twin people"})
    assert Event.objects.filter(verb="tags_set").count() == 1


@pytest.mark.databases
def test_removing_ticks_asks_first_and_a_number_is_never_given_again(tagged_project: Project) -> None:
    with pytest.raises(TagsRefused, match="“twinning” is ticked in 2 annotations"):
        change(tagged_project, {1: ""})
    with pytest.raises(
        TagsRefused, match="“twinning” is ticked in 2 annotations; “stereotype” is ticked in 1 "
    ):
        change(tagged_project, {1: "", 2: ""})
    assert tags_of(Project.objects.get(pk=tagged_project.pk)) == {1: "twinning", 2: "stereotype"}
    assert change(tagged_project, {1: ""}, confirmed=True)
    assert change(tagged_project, {}, "twinning")
    assert tags_of(Project.objects.get(pk=tagged_project.pk)) == {2: "stereotype", 3: "twinning"}
    assert change(tagged_project, {3: ""})  # nobody has ticked it


@pytest.mark.databases
@pytest.mark.parametrize(
    ("new", "code"),
    [
        (["a", "b", "c"], "too-many"),
        (["x" * 41], "too-long"),
        (["Hand", "hand"], "twice"),
        (["a\u202eb"], "turned"),
        (["a\0b"], "unstorable"),
    ],
)
def test_names_that_are_refused(new: list[str], code: str) -> None:
    tagged_project = make_project()
    with refused(TagsRefused, code):
        change(tagged_project, {}, *new)
    assert Project.objects.get(pk=tagged_project.pk).tags == []
