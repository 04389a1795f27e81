"""Prepared queries: the objects of the query, and plans that PostgreSQL keeps."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotator.database.prepared import Prepared, PreparedObjects
from annotator.models import Annotation, Membership
from tests.factories import make_assignment, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


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
