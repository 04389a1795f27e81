"""A query whose SQL is made once says the same as the one it was made of."""

from __future__ import annotations

import pytest
from django.db import ProgrammingError, connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotator.database.prepared import Prepared, PreparedObjects
from annotator.models import Annotation, Assignment, Image, Membership, Project
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL is not in use")


def _places(annotator: int, *batch: int) -> QuerySet[Assignment, tuple[int, int | None]]:
    found = Assignment.objects.filter(annotator=annotator, position__isnull=False)
    return (
        (found.filter(batch__in=batch) if batch else found)
        .order_by("-position")
        .values_list("pk", "position")
    )


def test_each_call_has_its_own_numbers() -> None:
    prepared = Prepared(_places)
    one, other = (make_member(make_project()) for _ in range(2))
    first = make_batch(one.project)
    mine = [make_assignment(one, batch=first, position=at) for at in (1, 2)]
    later = make_assignment(one, batch=make_batch(one.project), position=3)
    theirs = make_assignment(other, position=5)
    for _ in range(2):
        assert prepared.rows(one.pk) == [(later.pk, 3), (mine[1].pk, 2), (mine[0].pk, 1)]
        assert prepared.rows(other.pk) == [(theirs.pk, 5)]
        assert prepared.rows(one.pk, first.pk) == [(mine[1].pk, 2), (mine[0].pk, 1)]
    assert prepared.rows(-1) == []


def test_texts_and_uuids_are_values_too() -> None:
    slugs = Prepared(
        lambda slug, pk: Project.objects.filter(slug=slug, pk__gte=pk).order_by().values_list("pk")
    )
    images = PreparedObjects(lambda name, project: Image.objects.filter(public_id=name, project=project))
    one, other = make_project(), make_project()
    picture, another = make_image(one), make_image(one)
    for _ in range(2):
        assert slugs.rows(one.slug, one.pk) == [(one.pk,)]
        assert slugs.rows(other.slug, 0) == [(other.pk,)]
        assert slugs.rows("no such", 0) == slugs.rows("%s' --", 0) == []
        assert images.first(picture.public_id, one.pk) == picture
        assert images.first(another.public_id, one.pk) == another
        assert images.first(picture.public_id, other.pk) is None
    found = images.first(picture.public_id, one.pk)
    assert found is not None
    assert found.public_id == picture.public_id


def test_all_objects_of_a_query() -> None:
    prepared = PreparedObjects(
        lambda project: Image.objects.filter(project=project).order_by("pk").defer("sha256")
    )
    project = make_project()
    images = [make_image(project), make_image(project)]
    make_image(make_project())
    found = prepared.all(project.pk)
    assert found == images
    assert [each.get_deferred_fields() for each in found] == [{"sha256"}] * 2
    assert [each.sha256 for each in found] == [each.sha256 for each in images]
    assert prepared.all(-1) == []


def _draft(member: Membership) -> Annotation:
    assignment = make_assignment(member)
    return Annotation.objects.create(assignment=assignment, payload=make_payload(), saved_at=timezone.now())


def _begun(annotator: int) -> QuerySet[Annotation]:
    found = Annotation.objects.filter(assignment__annotator=annotator).order_by("-pk")
    return found.select_related("assignment__image", "assignment__batch__project")


def test_objects_are_those_of_the_query_with_what_they_bring_along() -> None:
    prepared = PreparedObjects(_begun)
    one, other = (make_member(make_project()) for _ in range(2))
    _draft(one)
    mine, theirs = _draft(one), _draft(other)
    for member, newest in ((one, mine), (other, theirs), (one, mine)):
        expected = _begun(member.pk)[0]
        with CaptureQueriesContext(connection) as queries:
            found = prepared.first(member.pk)
            assert found is not None
            assert found.assignment.batch.project == member.project
            assert found.assignment.image.source_name == expected.assignment.image.source_name
        assert [str(_begun(member.pk).query)] == [query["sql"] for query in queries]
        assert found == newest
        for field in Annotation._meta.concrete_fields:
            assert getattr(found, field.attname) == getattr(expected, field.attname)
            assert type(getattr(found, field.attname)) is type(getattr(expected, field.attname))
        assert not found._state.adding
    assert prepared.first(-1) is None


@pytest.mark.postgres
@on_postgresql
def test_postgresql_keeps_the_plan_and_still_tells_what_is_true_now() -> None:
    prepared = Prepared(_places)
    member = make_member(make_project())
    first = make_assignment(member, position=1)
    assert prepared.rows(member.pk) == [(first.pk, 1)]
    first.delete()
    assert prepared.rows(member.pk) == []
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%%position%%'")
        kept = [statement for (statement,) in cursor.fetchall()]
    assert [statement.count("$1") for statement in kept] == [1]


@pytest.mark.postgres
@on_postgresql
def test_an_error_of_the_database_is_one_of_django() -> None:
    prepared = Prepared(_places, "FOR NOTHING")
    with pytest.raises(ProgrammingError), transaction.atomic():
        prepared.rows(1)
    member = make_member(make_project())
    assert Prepared(_places).rows(member.pk) == []
