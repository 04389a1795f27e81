"""Who may see what, with data lying around that could leak."""

from __future__ import annotations

from collections.abc import Callable
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


def _account(membership: Membership) -> User:
    return user_of(membership)


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
    User.objects.filter(pk=_account(blocked).pk).update(is_active=False)
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
    people: dict[str, User | AnonymousUser] = {name: _account(member) for name, member in memberships.items()}
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
        try:
            assert loader(person, key) == expected, name
        except Http404:
            continue
        passed.add(name)
    return passed


def test_only_its_lead_leads_a_project(world: World) -> None:
    assert allowed(world, project_as_lead, "ours", world.project) == {"lead"}
    assert allowed(world, project_as_lead, "theirs", world.other) == {
        "lead elsewhere",
        "lead elsewhere, annotator here",
    }


def test_members_of_a_project(world: World) -> None:
    found = {}
    for name, person in world.people.items():
        try:
            found[name] = membership_of(person, "ours")
        except Http404:
            continue
    assert set(found) == {
        "annotator",
        "other annotator",
        "lead",
        "reviewer",
        "lead elsewhere, annotator here",
    }
    for name, membership in found.items():
        assert (membership.user, membership.project) == (world.people[name], world.project)
    assert found["lead elsewhere, annotator here"].role == "annotator"


def test_an_assignment_is_its_annotators_alone(world: World) -> None:
    assert allowed(world, assignment_for, world.mine.pk, world.mine) == {"annotator"}


def test_an_image_is_for_those_who_judge_it_or_oversee_the_project(world: World) -> None:
    assert allowed(world, image_for, world.image.public_id, world.image) == {"annotator", "lead", "reviewer"}


def test_an_image_nobody_is_assigned_is_for_overseers(world: World) -> None:
    spare = make_image(world.project)
    assert allowed(world, image_for, spare.public_id, spare) == {"lead", "reviewer"}


def test_an_image_assigned_twice_is_one_image(world: World) -> None:
    make_assignment(world.mine.annotator, image=world.image)
    make_member(world.project, LEAD)
    assert image_for(world.people["annotator"], world.image.public_id) == world.image
    assert image_for(world.people["lead"], world.image.public_id) == world.image


def test_an_annotation_is_for_the_lead_of_its_project(world: World) -> None:
    assert allowed(world, annotation_as_lead, world.answer.pk, world.answer) == {"lead"}


def test_a_batch_that_is_being_prepared_is_for_no_annotator(world: World) -> None:
    Batch.objects.update(status="preparing")
    assert allowed(world, assignment_for, world.mine.pk, None) == set()
    assert allowed(world, image_for, world.image.public_id, world.image) == {"lead", "reviewer"}


def test_rights_end_with_the_membership(world: World) -> None:
    Membership.objects.filter(project=world.project).update(is_active=False)
    for loader, key in (
        (project_as_lead, "ours"),
        (membership_of, "ours"),
        (assignment_for, world.mine.pk),
        (image_for, world.image.public_id),
        (annotation_as_lead, world.answer.pk),
    ):
        assert allowed(world, loader, key, None) == set()


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
def test_what_does_not_exist_looks_like_what_is_not_allowed(
    world: World, loader: Loader, key: object
) -> None:
    assert allowed(world, loader, key, None) == set()
