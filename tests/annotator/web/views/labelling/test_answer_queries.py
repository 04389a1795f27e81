"""What the script's addresses cost: the same for every length of the queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotator.models import Assignment, Membership
from tests.annotator.web.views.conftest import signed_in
from tests.annotator.web.views.speaking import address_of, answer_body, post, reopen_body, skip_body
from tests.factories import make_assignment, make_batch, make_member, make_project


def _middle(member: Membership, length: int) -> Assignment:
    """An assignment in the middle of a queue of two batches, a third of which is closed."""
    batches = [make_batch(member.project) for _ in range(2)]
    rows = [make_assignment(member, batch=batches[number % 2]) for number in range(length)]
    Assignment.objects.filter(pk__in=[row.pk for row in rows[::3]]).update(status="skipped")
    return next(row for row in rows[length // 2 :] if row.pk not in {r.pk for r in rows[::3]})


def _cost(ask: Callable[[], Any]) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        assert ask().status_code == 200
    return [query["sql"] for query in queries]


def _all(client: Client, assignment: Assignment) -> dict[str, list[str]]:
    return {
        "state": _cost(lambda: client.get(address_of("answer_state", assignment))),
        "first save": _cost(lambda: post(client, "answer_save", assignment, answer_body())),
        "save": _cost(lambda: post(client, "answer_save", assignment, answer_body(version=1))),
        "skip": _cost(lambda: post(client, "answer_skip", assignment, skip_body(2))),
        "resume": _cost(lambda: post(client, "answer_reopen", assignment, reopen_body(2))),
        "submit": _cost(lambda: post(client, "answer_submit", assignment, answer_body(version=2))),
        "reopen": _cost(lambda: post(client, "answer_reopen", assignment, reopen_body(3))),
    }


@pytest.mark.django_db
def test_queries_are_few_and_do_not_grow_with_the_queue() -> None:
    project = make_project()
    found = []
    for length in (6, 60):
        member = make_member(project)
        costs = _all(signed_in(member), _middle(member, length))
        found.append({name: len(queries) for name, queries in costs.items()})
    assert found[0] == found[1]
    # Session, account and assignment come first. The two that begin and end a transaction count too, and so
    # does the one that holds the batch open. PostgreSQL reads once more what it holds: the row it waited for
    # may have changed meanwhile, and the annotation. It writes annotation, assignment and Event in one
    # statement, SQLite in three. Two write the image's summaries. Only what is finished is looked up
    # in norming sessions.
    held, written = (4, 1) if connection.vendor == "postgresql" else (3, 3)
    revealed = 1
    assert found[0] == {
        "state": 3 + 2,
        "first save": 3 + held + written,
        "save": 3 + held + written,
        "skip": 3 + held + 4 + 2,
        "resume": 3 + held + 4 + 3 + revealed,
        "submit": 3 + held + written + 2 + 2,
        "reopen": 3 + 1 + held + written + 2 + 4 + revealed,
    }


@pytest.mark.django_db
def test_the_queue_is_never_read_through() -> None:
    """Each question is answered off an index, whatever the length of the queue."""
    member = make_member(make_project())
    queries = _all(signed_in(member), _middle(member, 30))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        for query in {query for asked in queries.values() for query in asked if query.startswith("SELECT")}:
            explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
            cursor.execute(f"{explain} {query}".replace("%", "%%"))
            plan = "\n".join(str(row[-1]) for row in cursor.fetchall())
            for word in ("SCAN annotator_assignment", "SCAN U0", "Seq Scan on annotator_assignment"):
                assert word not in plan, f"{query}\n{plan}"


@pytest.mark.django_db
def test_the_queue_and_the_submission_name_the_same_next_image() -> None:
    member = make_member(make_project())
    assignment = _middle(member, 9)
    client = signed_in(member)
    told = client.get(address_of("answer_state", assignment)).json()["upcoming"]
    answer = post(client, "answer_submit", assignment, answer_body())
    assert answer.json()["next"] == reverse("label", args=[told])
