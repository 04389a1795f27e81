"""New projects: who may make one, and that one request makes one."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission

from annotator.models import Event, Project, User
from annotator.projects.creation import ProjectRefused, create_project, may_create_projects
from tests.factories import ANNOTATOR, LEAD, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


def make(actor: User, slug: str = "hands", **more: object) -> Project:
    wanted = {"name": "Hands", "slug": slug, "code": "lead-a", **more}
    return create_project(actor=actor, **wanted)  # type: ignore[arg-type]


def test_whoever_leads_may_make_another_and_others_need_the_right() -> None:
    annotator, lead, gone, root, given, off = (make_user() for _ in range(6))
    make_member(make_project(), ANNOTATOR, user=annotator)
    make_member(make_project(), LEAD, user=lead)
    make_member(make_project(), LEAD, user=gone, is_active=False)
    root.is_superuser = True
    given.user_permissions.add(Permission.objects.get(codename="add_project"))
    off.is_active, off.is_superuser = False, True
    people = (annotator, lead, gone, root, given, off)
    assert [may_create_projects(each) for each in people] == [False, True, False, True, True, False]


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
    with pytest.raises(ProjectRefused):
        make(other, request_key=key)
    assert Project.objects.count() == Event.objects.count() == 1


@pytest.mark.parametrize("slug", ["", "new", "two words", "ä", "a/b", "x" * 61, "HANDS", "hands\n"])
def test_an_address_that_cannot_be_is_refused_beside_its_field(slug: str) -> None:
    make(make_user())
    with pytest.raises(ProjectRefused) as refused:
        make(make_user(), slug=slug)
    assert refused.value.field == "slug"
    assert Project.objects.count() == 1
