"""Shared by the tests of answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from annotator.models import Annotation, Assignment
from annotator.signals import annotation_submitted
from tests.factories import make_assignment, make_member, make_project


@pytest.fixture
def assignment() -> Assignment:
    return make_assignment(make_member(make_project()))


@pytest.fixture
def heard() -> Iterator[list[dict[str, Any]]]:
    """What `annotation_submitted` was sent with, and whether that was inside a transaction."""
    calls: list[dict[str, Any]] = []

    def listen(sender: type[Annotation], **kwargs: Any) -> None:
        kwargs.pop("signal")
        calls.append({"sender": sender, "in_transaction": connection.in_atomic_block, **kwargs})

    annotation_submitted.connect(listen)
    yield calls
    annotation_submitted.disconnect(listen)
