"""A led project with one annotator and a batch."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from annotator.models import Batch, Membership, Project
from tests.factories import LEAD, make_batch, make_member, make_project


@dataclass(frozen=True)
class Led:
    """A project with a lead, the annotator `ada`, and an open batch."""

    project: Project
    lead: Membership
    ada: Membership
    batch: Batch


@pytest.fixture
def led(db: None) -> Led:
    project = make_project("led")
    return Led(project, make_member(project, LEAD), make_member(project, code="ada"), make_batch(project))
