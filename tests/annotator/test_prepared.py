"""A query whose SQL is made once says the same as the one it was made of."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from annotator.models import Assignment
from annotator.prepared import Prepared
from tests.factories import make_assignment, make_batch, make_member, make_project

pytestmark = pytest.mark.django_db


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


def test_it_is_one_query() -> None:
    prepared = Prepared(_places)
    prepared.rows(1)
    with CaptureQueriesContext(connection) as queries:
        prepared.rows(2)
    assert [str(_places(2).query)] == [query["sql"] for query in queries]


def test_a_number_that_is_not_in_the_sql_is_refused() -> None:
    prepared = Prepared(lambda annotator, _unused: _places(annotator))
    with pytest.raises(ValueError, match=r"^numbers \[1\] of a prepared query appear nowhere in its SQL$"):
        prepared.rows(1, 2)
