"""Answers of before the column: which of them held terms that could not be read."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from annotator.models import Annotation
from tests.analysis.factories import make_submitted
from tests.factories import make_image, make_member, make_project

pytestmark = pytest.mark.django_db


def test_only_answers_with_problems_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    filling = import_module("annotator.migrations.0011_fill_unread_terms")
    monkeypatch.setattr(filling, "ROWS", 2)
    project = make_project()
    member = make_member(project, code="A")
    sources = [None, {}, {"problems": []}, *({"problems": [{"row": row}]} for row in (2, 3, 4))]
    made = []
    for source in sources:
        annotation = make_submitted(member, image=make_image(project))
        annotation.source = source
        annotation.save()
        made.append(annotation)
    for _ in range(2):
        filling.fill(apps, connection.schema_editor())
        marked = Annotation.objects.filter(has_unread_terms=True).order_by("pk")
        assert list(marked) == made[3:]
