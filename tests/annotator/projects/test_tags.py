"""Tags of a project: names by number, and what happens to the ticks."""

from __future__ import annotations

import pytest

from annotator.models import Event, Project
from annotator.projects.tags import TagsRefused, TicksLost, set_tags, tags_of, ticks_of
from tests.analysis.factories import make_submitted
from tests.annotator.acting import save
from tests.factories import make_assignment, make_member, make_payload, make_project, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


@pytest.fixture
def project() -> Project:
    """A project with two tags, the first ticked in a submission and a draft."""
    project = make_project("pilot", tags=["twinning", "stereotype"])
    member = make_member(project)
    make_submitted(member, payload=make_payload(tags=[1]))
    make_submitted(member)
    save(make_assignment(member), make_payload(tags=[1, 2]), 0)
    make_submitted(make_member(make_project(tags=["twinning"])), payload=make_payload(tags=[1]))
    return project


def change(project: Project, names: dict[int, str], *new: str, confirmed: bool = False) -> bool:
    return set_tags(project=project, names=names, new=new, actor=make_user(), confirmed=confirmed)


def test_a_renamed_tag_keeps_its_ticks(project: Project) -> None:
    assert change(project, {1: "  Twin  people "})
    assert tags_of(Project.objects.get(pk=project.pk)) == {1: "Twin people", 2: "stereotype"}
    assert ticks_of(project) == {1: 2, 2: 1}
    event = Event.objects.get(verb="tags_set")
    assert event.data == {"replaced": ["twinning", "stereotype"], "tags": ["Twin people", "stereotype"]}
    assert not change(project, {1: "Twin people"})
    assert Event.objects.filter(verb="tags_set").count() == 1


def test_removing_ticks_asks_first_and_a_number_is_never_given_again(project: Project) -> None:
    with pytest.raises(TicksLost, match="“twinning” is ticked in 2 annotations"):
        change(project, {1: ""})
    with pytest.raises(
        TicksLost, match="“twinning” is ticked in 2 annotations; “stereotype” is ticked in 1 "
    ):
        change(project, {1: "", 2: ""})
    assert tags_of(Project.objects.get(pk=project.pk)) == {1: "twinning", 2: "stereotype"}
    assert change(project, {1: ""}, confirmed=True)
    assert change(project, {}, "twinning")
    assert tags_of(Project.objects.get(pk=project.pk)) == {2: "stereotype", 3: "twinning"}
    assert change(project, {3: ""})  # nobody has ticked it


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
    project = make_project()
    with pytest.raises(TagsRefused) as refused:
        change(project, {}, *new)
    assert refused.value.code == code
    assert Project.objects.get(pk=project.pk).tags == []
