"""After a restore, too, nothing new gets the number of what was removed."""

from __future__ import annotations

import pytest
from django.db import connection

from annotator.models import Event
from config.operations.backups.restoring import keep_numbers
from tests.factories import make_assignment, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("empty", [True, False])
def test_numbers_that_events_name_are_not_given_again(empty: bool) -> None:
    if not empty:
        make_assignment(make_member(make_project()))
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM sqlite_sequence WHERE name LIKE 'annotator_%%'")
    Event.objects.create(project_id=900_000, assignment_id=800_000, verb="project_removed")
    keep_numbers()
    keep_numbers()
    project = make_project()
    assert project.pk > 900_000
    assert make_assignment(make_member(project)).pk > 800_000
