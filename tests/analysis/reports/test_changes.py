"""How many answers have changed since a report."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis.reports.status import Changes, changes_since
from annotator.models import Annotation, Membership, Project
from tests.analysis.acting import change, reopen, submit, submit_new
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def annotator(project: Project) -> Membership:
    return project.memberships.get(code="anno1")


@pytest.fixture
def moment(project: Project) -> datetime:
    return timezone.now()


def first_answer(project: Project) -> Annotation:
    return Annotation.objects.filter(assignment__batch__project=project).earliest("pk")


def test_nothing_has_happened(project: Project, moment: datetime) -> None:
    assert not changes_since(project, moment)


def test_each_answer_is_counted_once_as_what_it_is(
    project: Project, moment: datetime, annotator: Membership
) -> None:
    new = submit_new(annotator)
    changed, reopened, *_ = Annotation.objects.exclude(pk=new.pk).order_by("pk")
    change(new)  # still one new answer
    change(change(changed))  # still one changed answer
    reopen(reopened)
    assert changes_since(project, moment) == Changes(new=1, changed=1, reopened=1)
    submit_new(annotator)
    assert changes_since(project, moment) == Changes(new=2, changed=1, reopened=1)
    assert changes_since(project, timezone.now()) == Changes()


def test_what_came_and_went_does_not_count(project: Project, moment: datetime, annotator: Membership) -> None:
    reopen(submit_new(annotator))
    assert changes_since(project, moment) == Changes()


def test_what_had_been_reopened_before_is_new_when_it_comes_back(project: Project) -> None:
    reopened = reopen(first_answer(project))
    moment = timezone.now()
    assert changes_since(project, moment) == Changes()
    submit(reopened.assignment, [], replaces=reopened.version)
    assert changes_since(project, moment) == Changes(new=1)


def test_other_projects_and_other_protocols_do_not_count(project: Project, moment: datetime) -> None:
    submit_new(make_member(make_project()))
    member = make_member(project)
    make_submitted(member, batch=make_batch(project, protocol="another"))
    assert changes_since(project, moment) == Changes()


def test_the_cost_does_not_grow(project: Project, moment: datetime, annotator: Membership) -> None:
    counts = []
    for _ in range(2):
        answers = Annotation.objects.filter(status="submitted").order_by("pk")
        change(answers[0])
        submit_new(annotator)
        with CaptureQueriesContext(connection) as queries:
            changes_since(project, moment)
        counts.append(len(queries))
    assert counts == [4, 4]


def test_events_are_found_by_project_and_time(project: Project, moment: datetime) -> None:
    with CaptureQueriesContext(connection) as queries:
        changes_since(project, moment)
    plans = [_plan(query["sql"]) for query in queries.captured_queries]
    if connection.vendor == "sqlite":
        assert all("event_by_project" in plan for plan in plans)
    assert not any("Seq Scan" in plan for plan in plans)
    assert not any("SCAN" in plan.replace("SCAN CONSTANT", "") for plan in plans)


def _plan(statement: str) -> str:
    """How the database goes about a query; PostgreSQL would read a small table whole."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {statement}")
        else:
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
        return " ".join(str(row[-1]) for row in cursor.fetchall())
