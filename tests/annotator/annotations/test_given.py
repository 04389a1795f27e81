"""The given part of a payload, with the stars: a browser cannot change it."""

from __future__ import annotations

from uuid import uuid4

import pytest
from pytest_django.fixtures import Settings

from annotator.annotations import given
from annotator.annotations.given import register_given, with_given
from annotator.annotations.saving import save_draft, submit_annotation
from annotator.models import Assignment, User
from annotator.web.views.labelling.annotation_state import state_of
from tests.factories import make_assignment, make_batch, make_member, make_project, user_of
from tests.protocols.stars.living import let_live

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Assignment:
    """An image to rate, of which the server says that the annotator is sure."""
    let_live(monkeypatch, settings)
    monkeypatch.setattr(given, "_GIVEN", {})
    register_given("stars", lambda *_: {"sure": True})
    project = make_project()
    batch = make_batch(project, protocol="stars")
    return make_assignment(make_member(project), batch=batch)


def actor(assignment: Assignment) -> User:
    return user_of(assignment.annotator)


def test_it_is_there_before_anything_is_saved(assignment: Assignment) -> None:
    assert state_of(assignment, actor(assignment))["payload"] == {"stars": None, "sure": True}


@pytest.mark.parametrize("forged", [{}, {"sure": False}])
def test_a_forged_one_is_not_read(assignment: Assignment, forged: dict[str, bool]) -> None:
    draft = save_draft(
        assignment=assignment,
        actor=actor(assignment),
        payload={"stars": 2, **forged},
        replaces=0,
        request_key=uuid4(),
    )
    assert draft.payload == {"stars": 2, "sure": True}
    done = submit_annotation(
        assignment=assignment,
        actor=actor(assignment),
        payload={"stars": 3, **forged},
        replaces=1,
        request_key=uuid4(),
    )
    assert done.payload == {"stars": 3, "sure": True}


def test_others_are_left_alone(assignment: Assignment) -> None:
    assert with_given(assignment, [1]) == [1]
    other = make_assignment(assignment.annotator, batch=make_batch(assignment.batch.project))
    assert with_given(other, {"marks": []}) == {"marks": []}
