"""Who may see what where one person has several roles; `tests/permissions` walks the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import Http404

from annotator.models import Membership, Project, User
from annotator.people.access import (
    annotation_as_lead,
    assignment_for,
    image_for,
    membership_of,
    person_as_lead,
    project_as_lead,
)
from tests.annotator.acting import save
from tests.factories import LEAD, make_assignment, make_image, make_member, make_project, user_of

pytestmark = pytest.mark.django_db
Loader = Callable[[Any, Any], Any]


@pytest.fixture
def theirs() -> Project:
    return make_project("theirs")


@pytest.fixture
def ada(project: Project, theirs: Project) -> User:
    """An annotator here, who leads the other project."""
    user = user_of(make_member(theirs, LEAD, code="ada"))
    make_member(project, user=user, code="ada")
    return user


def finds(loader: Loader, person: User, key: object) -> bool:
    try:
        return loader(person, key) is not None
    except Http404:
        return False


def test_roles_in_two_projects_do_not_mix(project: Project, theirs: Project, ada: User) -> None:
    held, spare = make_image(project), make_image(project)
    of_ada = make_assignment(ada.memberships.get(project=project), image=held)
    # An image that somebody has twice is one image.
    make_assignment(of_ada.annotator, image=held)
    of_bob = make_assignment(make_member(project), image=spare)
    answer = save(of_bob)
    assert membership_of(ada, project.slug).role == "annotator"
    assert image_for(ada, held.public_id) == held
    assert finds(assignment_for, ada, of_ada.pk)
    assert project_as_lead(ada, "theirs") == theirs
    tries: list[tuple[Loader, object]] = [
        (project_as_lead, project.slug),
        (assignment_for, of_bob.pk),
        (image_for, spare.public_id),
        (annotation_as_lead, answer.pk),
        # Of their own project, a lead finds only its people.
        (lambda user, key: person_as_lead(user, "theirs", key), of_bob.annotator.pk),
    ]
    assert not any(finds(loader, ada, key) for loader, key in tries)
    # Rights end with the membership.
    Membership.objects.update(is_active=False)
    own: list[tuple[Loader, object]] = [
        (project_as_lead, "theirs"),
        (membership_of, project.slug),
        (assignment_for, of_ada.pk),
        (image_for, held.public_id),
    ]
    assert not any(finds(loader, ada, key) for loader, key in own)
