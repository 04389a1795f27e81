"""A small project with two annotators, a lead, and a second project that must stay out of sight."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from annotator.models import Assignment, Membership, Project
from tests.factories import ANNOTATOR, LEAD, make_assignment, make_batch, make_member, make_project, make_user
from tests.support.signing_in import signed_in


@dataclass(frozen=True)
class Study:
    """Three assignments of `ada` and one of `bob` in one batch."""

    project: Project
    lead: Membership
    ada: Membership
    bob: Membership
    assignments: list[Assignment]
    of_bob: Assignment


@pytest.fixture
def study(db: None) -> Study:
    project = make_project("pilot")
    ada = make_member(project, ANNOTATOR, user=make_user("ada"), code="ada")
    bob = make_member(project, ANNOTATOR, user=make_user("bob"), code="bob")
    lead = make_member(project, LEAD, user=make_user("lee"), code="lee")
    batch = make_batch(project, name="First batch")
    assignments = [make_assignment(ada, batch=batch) for _ in range(3)]
    of_bob = make_assignment(bob, batch=batch, image=assignments[0].image)
    return Study(project, lead, ada, bob, assignments, of_bob)


@pytest.fixture
def as_ada(study: Study) -> Client:
    return signed_in(study.ada)


@pytest.fixture
def as_lead(study: Study) -> Client:
    return signed_in(study.lead)


def typed(action: str, version: int = 0, **cells: str) -> dict[str, Any]:
    """What a browser sends: `missing_limbs="1/4c"` fills that cell."""
    marks = {f"marks.{name.replace('_', '.')}": text for name, text in cells.items() if name not in PLAIN}
    plain = {name: text for name, text in cells.items() if name in PLAIN}
    return {"action": action, "version": version, "request_key": str(uuid.uuid4()), **marks, **plain}


PLAIN = {"note", "no_errors", "request_key"}
