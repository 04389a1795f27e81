"""Data migrations that fill new rows and columns from old ones, once."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from annotator.models import Annotation, Assignment, Question
from tests.analysis.factories import make_submitted
from tests.annotator.acting import save
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, make_project

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
