"""Shared by the tests of answers."""

from __future__ import annotations

import pytest

from annotator.models import Assignment
from tests.factories import make_assignment, make_member, make_project


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment(make_member(make_project()))
