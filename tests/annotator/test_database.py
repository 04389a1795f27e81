"""Statements of our own: many changes in one, prepared queries, slices."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotator.database.changes import Change, insert, make, put, update
from annotator.database.prepared import Prepared, PreparedObjects
from annotator.models import Annotation, Assignment, Event, Image, ImageSummary, Membership
from tests.factories import make_assignment, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


def annotation(assignment: Assignment) -> Annotation:
    payload = {"note": "50 % of 'it'", "marks": []}
    return Annotation(assignment=assignment, payload=payload, saved_at=timezone.now())


def event(assignment: Assignment) -> Event:
    return Event(assignment=assignment, verb="draft_saved", data={"version": 1}, request_key=uuid4())


def done(assignment: Assignment) -> Change:
    return update(Assignment, {"status": "done"}, "id = %s AND status <> %s", assignment.pk, "done")


@pytest.mark.databases
def test_all_are_made_as_the_models_would(assignment: Assignment) -> None:
    row, said = annotation(assignment), event(assignment)
    with CaptureQueriesContext(connection) as queries:
        pk = make(insert(row), done(assignment), insert(said))
    assert len(queries) == (1 if connection.vendor == "postgresql" else 3)
    stored = Annotation.objects.get()
    names = [field.attname for field in Annotation._meta.concrete_fields if not field.primary_key]
    assert stored.pk == pk
    assert [getattr(stored, name) for name in names] == [getattr(row, name) for name in names]
    kept = Event.objects.get()
    assert (kept.data, kept.request_key, kept.created_at) == (said.data, said.request_key, said.created_at)
    assert Assignment.objects.get().status == "done"


@pytest.mark.databases
def test_an_update_tells_whether_its_row_was_there(assignment: Assignment) -> None:
    pk = make(insert(annotation(assignment)))
    new = {"version": 2, "ratings": None, "capture": {"keys": 1}}
    assert make(update(Annotation, new, "id = %s AND version = %s", pk, 1), done(assignment)) == pk
    stored = Annotation.objects.get()
    assert (stored.version, stored.ratings, stored.capture) == (2, None, {"keys": 1})
    Assignment.objects.update(status="open")
    assert make(update(Annotation, new, "id = %s AND version = %s", pk, 1), done(assignment)) is None
    assert Assignment.objects.get().status == "open"


@pytest.mark.databases
def test_a_refused_change_takes_the_others_with_it(assignment: Assignment) -> None:
    first, second = event(assignment), event(assignment)
    second.request_key = first.request_key
    make(insert(first))
    with pytest.raises(IntegrityError), transaction.atomic():
        make(insert(annotation(assignment)), done(assignment), insert(second))
    assert not Annotation.objects.exists()
    assert Assignment.objects.get().status == "open"


@pytest.mark.databases
def test_rows_that_are_there_are_updated(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.database.changes._AT_ONCE", 2)
    values = dict.fromkeys(("tags", "marked", "mild", "moderate", "severe"), 0) | dict.fromkeys(
        ("apart", "flagged", "adjudicated"), False
    )

    def rows(*codes: str, answers: int) -> list[ImageSummary]:
        made = {"image": assignment.image, "project": assignment.batch.project, "protocol": "anatomy"}
        return [ImageSummary(**made, code=code, answers=answers, mean=0.5, **values) for code in codes]

    key = ("image", "protocol", "code")
    put(rows("A", "B", "C", answers=1), key, ("answers",))
    ids = list(ImageSummary.objects.values_list("pk", flat=True))
    put(rows("B", "D", answers=2), key, ("answers",))
    put([], key, ("answers",))
    assert list(ImageSummary.objects.values_list("code", "answers")) == [
        ("A", 1),
        ("B", 2),
        ("C", 1),
        ("D", 2),
    ]
    assert list(ImageSummary.objects.values_list("pk", flat=True))[:3] == ids


def draft(member: Membership) -> Annotation:
    assignment = make_assignment(member)
    return Annotation.objects.create(assignment=assignment, payload=make_payload(), saved_at=timezone.now())


def begun(annotator: int) -> QuerySet[Annotation]:
    drafts = Annotation.objects.filter(assignment__annotator=annotator).order_by("-pk")
    return drafts.select_related("assignment__image", "assignment__batch__project")


def test_objects_are_those_of_the_query_with_what_they_bring_along() -> None:
    prepared = PreparedObjects(begun)
    one, other = (make_member(make_project()) for _ in range(2))
    draft(one)
    mine, theirs = draft(one), draft(other)
    for member, newest in ((one, mine), (other, theirs), (one, mine)):
        expected = begun(member.pk)[0]
        with CaptureQueriesContext(connection) as queries:
            found = prepared.first(member.pk)
            assert found is not None
            assert found.assignment.batch.project == member.project
            assert found.assignment.image.source_name == expected.assignment.image.source_name
        assert [str(begun(member.pk).query)] == [query["sql"] for query in queries]
        assert found == newest
        for field in Annotation._meta.concrete_fields:
            assert getattr(found, field.attname) == getattr(expected, field.attname)
            assert type(getattr(found, field.attname)) is type(getattr(expected, field.attname))
        assert not found._state.adding
    assert prepared.first(-1) is None


def test_uuids_are_values_too() -> None:
    images = PreparedObjects(lambda name, project: Image.objects.filter(public_id=name, project=project))
    project, other = make_project(), make_project()
    for picture in (make_image(project), make_image(project)):
        assert images.first(picture.public_id, project.pk) == picture
        assert images.first(picture.public_id, other.pk) is None


@pytest.mark.postgres
@pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL is not in use")
def test_postgresql_keeps_the_plan_and_still_tells_what_is_true_now() -> None:
    prepared = Prepared(lambda annotator: begun(annotator).values_list("pk", "version"))
    member = make_member(make_project())
    first = draft(member)
    assert prepared.rows(member.pk) == [(first.pk, first.version)]
    first.delete()
    assert prepared.rows(member.pk) == []
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%%version%%'")
        kept = [statement for (statement,) in cursor.fetchall()]
    assert [statement.count("$1") for statement in kept] == [1]
