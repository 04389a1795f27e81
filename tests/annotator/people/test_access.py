"""Who may see what, with data lying around that could leak."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project, User
from annotator.people.access import (
    annotation_as_lead,
    assignment_for,
    image_for,
    membership_of,
    project_as_lead,
)
from tests.annotator.acting import save
from tests.factories import (
    LEAD,
    REVIEWER,
    make_assignment,
    make_image,
    make_member,
    make_payload,
    make_project,
    make_user,
    user_of,
)

pytestmark = pytest.mark.django_db
Loader = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class World:
    """Two projects of the same shape; every person below exists and is somebody."""

    project: Project
    other: Project
    image: Image
    mine: Assignment
    answer: Annotation
    people: dict[str, User | AnonymousUser]


@pytest.fixture
def world() -> World:
    project, other = make_project("ours"), make_project("theirs")
    anna, bert = make_member(project, code="anna"), make_member(project, code="bert")
    stranger = make_member(other, code="anna")
    image, twin = make_image(project), make_image(other)
    mine = make_assignment(anna, image=image)
    make_assignment(bert)
    make_assignment(stranger, image=twin)
    answer = save(mine, make_payload())
    off = make_member(project, LEAD, is_active=False)
    make_assignment(off, image=image)
    # A lead of the other project who only annotates here, and the reverse: roles must not mix.
    both = make_user()
    make_member(project, user=both, code="both")
    make_member(other, LEAD, user=both, code="both")
    blocked = make_member(project, LEAD)
    User.objects.filter(pk=user_of(blocked).pk).update(is_active=False)
    memberships = {
        "annotator": anna,
        "other annotator": bert,
        "lead": make_member(project, LEAD),
        "reviewer": make_member(project, REVIEWER),
        "lead elsewhere": make_member(other, LEAD),
        "reviewer elsewhere": make_member(other, REVIEWER),
        "annotator elsewhere": stranger,
        "disabled lead": off,
        "blocked account": blocked,
    }
    people: dict[str, User | AnonymousUser] = {name: user_of(member) for name, member in memberships.items()}
    people |= {
        "lead elsewhere, annotator here": both,
        "superuser": make_user(is_superuser=True, is_staff=True),
        "nobody": make_user(),
        "anonymous": AnonymousUser(),
    }
    return World(project, other, image, mine, answer, people)


def allowed(world: World, loader: Loader, key: object, expected: object) -> set[str]:
    """The people for whom the loader returns the thing itself; all others must get Http404."""
    passed = set()
    for name, person in world.people.items():
        with suppress(Http404):
            assert loader(person, key) == expected, name
            passed.add(name)
    return passed


def test_each_is_for_who_may_see_it(world: World) -> None:
    overseers, spare = {"lead", "reviewer"}, make_image(world.project)
    table: list[tuple[Loader, object, object, set[str]]] = [
        (project_as_lead, "ours", world.project, {"lead"}),
        (project_as_lead, "theirs", world.other, {"lead elsewhere", "lead elsewhere, annotator here"}),
        (assignment_for, world.mine.pk, world.mine, {"annotator"}),
        (image_for, world.image.public_id, world.image, {"annotator", *overseers}),
        (image_for, spare.public_id, spare, overseers),
        (annotation_as_lead, world.answer.pk, world.answer, {"lead"}),
    ]
    # An image that somebody has twice is one image.
    make_assignment(world.mine.annotator, image=world.image)
    for loader, key, expected, people in table:
        assert allowed(world, loader, key, expected) == people, loader
    # In preparation, a batch is for no annotator; and rights end with the membership.
    Batch.objects.update(status="preparing")
    assert allowed(world, assignment_for, world.mine.pk, None) == set()
    assert allowed(world, image_for, world.image.public_id, world.image) == overseers
    Batch.objects.update(status="open")
    Membership.objects.filter(project=world.project).update(is_active=False)
    for loader, key, expected, _ in table:
        if expected != world.other:
            assert allowed(world, loader, key, None) == set(), loader


def test_members_of_a_project(world: World) -> None:
    found = {}
    for name, person in world.people.items():
        with suppress(Http404):
            found[name] = membership_of(person, "ours")
    both = "lead elsewhere, annotator here"
    assert set(found) == {"annotator", "other annotator", "lead", "reviewer", both}
    for name, membership in found.items():
        assert (membership.user, membership.project) == (world.people[name], world.project)
    assert found[both].role == "annotator"
    Membership.objects.filter(project=world.project).update(is_active=False)
    assert allowed(world, membership_of, "ours", None) == set()


@pytest.mark.parametrize(
    ("loader", "key"),
    [
        (project_as_lead, "nowhere"),
        (membership_of, "nowhere"),
        (assignment_for, 0),
        (assignment_for, 2**70),
        (image_for, uuid4()),
        (annotation_as_lead, 0),
        (annotation_as_lead, 2**70),
    ],
)
def test_what_is_not_there_looks_like_what_is_not_allowed(world: World, loader: Loader, key: object) -> None:
    assert allowed(world, loader, key, None) == set()
