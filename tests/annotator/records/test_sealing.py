"""The chain over all Events: what it covers, and what it notices."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import StringIO
from typing import Any, cast

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from annotator.models import Event, Project, Seal
from annotator.records import sealing
from annotator.records.sealing import check_chain, seal_events
from tests.factories import make_project

pytestmark = pytest.mark.django_db

LATER = timedelta(hours=2)


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "PER_SEAL", 3)


@pytest.fixture
def project() -> Project:
    return make_project("sealed")


def written(project: Project, count: int) -> list[Event]:
    return [
        Event.objects.create(
            project=project, verb="batch_closed", data={"name": f"batch {each}", "b": [1, 2.5]}
        )
        for each in range(count)
    ]


def tampered(sql: str, parameters: list[datetime | int]) -> None:
    """Run a statement as somebody does who owns the database."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(sql, parameters)
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def test_events_are_sealed_in_runs_once_they_are_old(project: Project) -> None:
    written(project, 7)
    assert seal_events() == 0, "a transaction that took an earlier id may still be running"
    assert seal_events(timezone.now() + LATER) == 7
    assert [seal.count for seal in Seal.objects.all()] == [3, 3, 1]
    assert seal_events(timezone.now() + LATER) == 0
    written(project, 1)
    chain = check_chain()
    assert (chain.sealed, chain.seals, chain.open, chain.broken) == (7, 3, 1, ())
    assert chain.head == Seal.objects.latest("pk").digest


def test_a_young_event_keeps_all_after_it_open(project: Project) -> None:
    first, second, third = written(project, 3)
    tampered("UPDATE annotator_event SET created_at = %s WHERE id = %s", [timezone.now() + LATER, second.pk])
    assert seal_events(timezone.now() + LATER) == 1
    assert Seal.objects.get().last_event == first.pk
    assert check_chain().open == 2
    assert third.pk > second.pk


def test_what_is_written_while_there_is_nothing_young_is_not_sealed_with_the_rest(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier id may still be on its way: sealed too soon, the chain would tell of tampering."""
    written(project, 2)
    looked = sealing._events

    def late(**which: Any) -> Any:
        monkeypatch.setattr(sealing, "_events", looked)
        written(project, 1)
        return looked(**which)

    monkeypatch.setattr(sealing, "_events", late)
    # As if whatever was written until now were old enough.
    margin = timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT) + timedelta(minutes=10)
    assert seal_events(timezone.now() + margin) == 2
    assert check_chain().open == 1


def test_the_digest_is_what_it_is_said_to_be(project: Project) -> None:
    event = written(project, 1)[0]
    seal_events(timezone.now() + LATER)
    facts = [
        event.pk,
        project.pk,
        None,
        None,
        "batch_closed",
        {"b": [1, 2.5], "name": "batch 0"},
        None,
        event.created_at.astimezone(UTC).isoformat(),
    ]
    line = json.dumps(facts, sort_keys=True).encode()
    assert Seal.objects.get().digest == sha256(b"\n" + line).hexdigest()


@pytest.mark.parametrize(
    ("sql", "seal", "words"),
    [
        ("UPDATE annotator_event SET verb = 'batch_opened' WHERE id = %s", 2, "was changed"),
        ("UPDATE annotator_event SET data = '{}' WHERE id = %s", 2, "was changed"),
        ("DELETE FROM annotator_event WHERE id = %s", 2, "3 were sealed, 2 exist"),
    ],
)
def test_a_change_shows(project: Project, sql: str, seal: int, words: str) -> None:
    events = written(project, 9)
    seal_events(timezone.now() + LATER)
    tampered(sql, [events[4].pk])
    broken = check_chain().broken
    assert len(broken) == 1
    assert f"Seal {Seal.objects.order_by('pk')[seal - 1].pk} " in broken[0]
    assert words in broken[0]


def test_an_event_put_in_between_shows(project: Project) -> None:
    events = written(project, 4)
    tampered("DELETE FROM annotator_event WHERE id = %s", [events[1].pk])
    seal_events(timezone.now() + LATER)
    assert check_chain().broken == ()
    Event.objects.create(pk=events[1].pk, project=project, verb="batch_closed", data={})
    assert "3 were sealed, 4 exist" in check_chain().broken[0]


def test_a_seal_made_again_breaks_the_next_one(project: Project) -> None:
    events = written(project, 9)
    seal_events(timezone.now() + LATER)
    tampered("UPDATE annotator_event SET verb = 'batch_opened' WHERE id = %s", [events[0].pk])
    first, second, _ = Seal.objects.order_by("pk")
    forged = sealing.digest_of("", list(sealing._events(after=0, until=first.last_event)))
    Seal.objects.filter(pk=first.pk).update(digest=forged)
    assert [f"Seal {second.pk} " in words for words in check_chain().broken] == [True]


def test_what_was_written_stays(project: Project) -> None:
    """The model refuses everywhere, PostgreSQL whoever asks."""
    event = written(project, 1)[0]
    event.verb = "x"
    with pytest.raises(TypeError, match="append-only"):
        event.save()
    with pytest.raises(TypeError, match="append-only"):
        event.delete()
    if connection.vendor == "postgresql":
        for change in (
            lambda: Event.objects.filter(pk=event.pk).update(verb="x"),
            lambda: cast(Any, Event.objects.filter(pk=event.pk))._raw_delete("default"),
        ):
            with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
                change()
    assert Event.objects.get(pk=event.pk).verb == "batch_closed"


def test_the_command_says_what_it_found(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    events = written(project, 2)
    monkeypatch.setattr(timezone, "now", lambda: datetime.now(UTC) + LATER)
    out = StringIO()
    call_command("verify_events", "--seal", stdout=out)
    assert out.getvalue().splitlines() == [
        "2 events in 1 seals; 0 are not sealed yet.",
        f"All sealed events are unchanged. Newest digest: {Seal.objects.get().digest}",
    ]
    tampered("DELETE FROM annotator_event WHERE id = %s", [events[0].pk])
    with pytest.raises(CommandError, match="Events were changed:"):
        call_command("verify_events", stdout=StringIO())
