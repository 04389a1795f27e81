"""Shared by the tests of the annotator package."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from annotator.models import Assignment, Membership, Project
from tests.annotator.adjudicating import Case, make_case
from tests.annotator.norming.making import Circle, make_circle
from tests.annotator.training.making import Course, make_course, make_exam
from tests.factories import LEAD, make_assignment, make_member, make_project


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment(make_member(make_project()))


@pytest.fixture
def project() -> Project:
    return make_project("pilot")


@pytest.fixture
def lead(project: Project) -> Membership:
    return make_member(project, LEAD)


@pytest.fixture
def circle(db: None) -> Circle:
    return make_circle()


@pytest.fixture
def course(db: None) -> Course:
    return make_course()


@pytest.fixture
def exam(db: None) -> Course:
    return make_exam()


@pytest.fixture
def case() -> Case:
    return make_case(make_project())


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set the clock to a time in UTC."""

    def set_clock(*moment: int) -> None:
        monkeypatch.setattr(timezone, "now", lambda: datetime(*moment, tzinfo=UTC))  # type: ignore[arg-type,misc]

    return set_clock
