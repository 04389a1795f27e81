"""Flags of before the table of questions: each becomes one, once."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from annotator.models import Annotation, Question
from tests.annotator.acting import save
from tests.factories import make_assignment, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


def test_every_flag_becomes_a_question_once(monkeypatch: pytest.MonkeyPatch) -> None:
    filling = import_module("annotator.migrations.0021_fill_flag_questions")
    monkeypatch.setattr(filling, "ROWS", 2)
    member = make_member(make_project())
    flag = {"reason": "broken", "note": "grey"}
    made = [save(make_assignment(member), make_payload(flag=flag)) for _ in range(3)]
    save(make_assignment(member), make_payload())
    imported = save(make_assignment(member), make_payload(flag=flag))
    Annotation.objects.filter(pk=imported.pk).update(source={})
    Question.objects.all().delete()
    for _ in range(2):
        filling.fill(apps, connection.schema_editor())
    found = Question.objects.order_by("pk")
    assert [row.assignment for row in found] == [row.assignment for row in made]
    assert [row.asked_at for row in found] == [row.saved_at for row in made]
    assert {(row.kind, row.state, row.reason, row.text) for row in found} == {
        ("flag", "open", "broken", "grey")
    }
    assert {(row.project, row.annotator) for row in found} == {(member.project, member)}
