"""Assignments of before the column: which images several people were given."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from annotator.models import Assignment
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_images_that_several_hold_are_marked(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    filling = import_module("annotator.migrations.0018_drawn")
    monkeypatch.setattr(filling, "ROWS", rows)
    project = make_project()
    a, b, c = (make_member(project) for _ in range(3))
    batch, other = make_batch(project), make_batch(project)
    shared, own, passed_on = (make_image(project) for _ in range(3))
    random = [make_assignment(person, image=shared, batch=batch).pk for person in (a, b, c)]
    make_assignment(a, image=own, batch=batch)
    make_assignment(b, image=own, batch=other)
    make_assignment(a, image=passed_on, batch=batch, position=9)
    Assignment.objects.filter(image=passed_on).update(status="withdrawn", position=None)
    make_assignment(b, image=passed_on, batch=batch)
    for _ in range(2):
        filling.fill(apps, connection.schema_editor())
        marked = Assignment.objects.filter(drawn="random").order_by("pk")
        assert list(marked.values_list("pk", flat=True)) == random
        assert set(Assignment.objects.exclude(pk__in=random).values_list("drawn", flat=True)) == {"single"}
