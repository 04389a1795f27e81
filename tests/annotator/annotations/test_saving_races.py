"""The same verbs under real concurrency: threads, connections and commits of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from annotator.annotations.versioned_changes import KeyReused, StaleVersion
from annotator.models import Annotation, Assignment, Event
from tests.annotator.acting import HANDS, fresh, save, submit
from tests.annotator.racing import kinds, race
from tests.factories import make_assignment, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db(transaction=True)
THREADS = 8
ROUNDS = 5
PAYLOADS = [make_payload(note=f"writer {number}") for number in range(THREADS)]


def act(verb: Any, pk: int, payload: dict[str, Any], replaces: int, key: UUID | None = None) -> Annotation:
    """What a request does: load the assignment, then change its annotation."""
    changed: Annotation = verb(fresh(pk), payload, replaces, key)
    return changed


def winners(outcomes: Sequence[Annotation | Exception]) -> list[Annotation]:
    return [outcome for outcome in outcomes if isinstance(outcome, Annotation)]


def counted(verb: str) -> int:
    return Event.objects.filter(verb=verb).count()


def test_of_eight_drafts_over_one_version_exactly_one_wins() -> None:
    member = make_member(make_project())
    for _ in range(ROUNDS):
        pk = make_assignment(member).pk
        for replaces in (0, 1):
            outcomes = race([partial(act, save, pk, payload, replaces) for payload in PAYLOADS])
            assert kinds(outcomes) == ["Annotation"] + ["StaleVersion"] * (THREADS - 1)
            stored = Annotation.objects.get(assignment=pk)
            assert (stored.version, stored.payload) == (replaces + 1, winners(outcomes)[0].payload)
        assert Event.objects.filter(assignment=pk, verb="draft_saved").count() == 2


@pytest.mark.few(2)
@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("verb", [save, submit])
def test_one_request_sent_eight_times_is_one_version(verb: Any, begun: bool) -> None:
    member = make_member(make_project())
    for _ in range(ROUNDS):
        pk = make_assignment(member).pk
        if begun:
            act(save, pk, PAYLOADS[1], 0)
        key = uuid4()
        outcomes = race([partial(act, verb, pk, PAYLOADS[0], int(begun), key)] * THREADS)
        assert kinds(outcomes) == ["Annotation"] * THREADS
        assert {answer.version for answer in winners(outcomes)} == {int(begun) + 1}
        assert {answer.payload["note"] for answer in winners(outcomes)} == {"writer 0"}
        assert Annotation.objects.get(assignment=pk).version == int(begun) + 1
        assert Event.objects.filter(assignment=pk, request_key=key).count() == 1
    assert counted("submitted") == (ROUNDS if verb is submit else 0)


def test_one_refused_request_sent_eight_times_is_refused_and_kept_once(assignment: Assignment) -> None:
    act(save, assignment.pk, PAYLOADS[0], 0)
    outcomes = race([partial(act, save, assignment.pk, PAYLOADS[1], 0, uuid4())] * THREADS)
    assert kinds(outcomes) == ["StaleVersion"] * THREADS
    assert (counted("refused"), Annotation.objects.get().version) == (1, 1)


def test_one_key_for_different_versions_is_carried_out_once(assignment: Assignment) -> None:
    """The second writer's UPDATE may fit once the first has committed: then the key's constraint decides."""
    version = 1
    act(save, assignment.pk, PAYLOADS[0], 0)
    for _ in range(ROUNDS):
        key = uuid4()
        jobs = [partial(act, save, assignment.pk, PAYLOADS[1], version + step, key) for step in (0, 1)]
        outcomes = race(jobs)
        stored = Annotation.objects.get()
        assert Event.objects.filter(assignment=assignment, request_key=key).count() == 1
        assert set(kinds(outcomes)) <= {"Annotation", "StaleVersion"}
        assert stored.version - version <= 1
        version = stored.version


def test_one_key_for_two_acts_does_one_of_them() -> None:
    member = make_member(make_project())
    for _ in range(ROUNDS):
        pk, key = make_assignment(member).pk, uuid4()
        outcomes = race([partial(act, verb, pk, PAYLOADS[0], 0, key) for verb in (save, submit)])
        assert kinds(outcomes) == ["Annotation", "KeyReused"]
        assert Event.objects.filter(assignment=pk).count() == 1
        assert KeyReused in {type(outcome) for outcome in outcomes}


@pytest.mark.databases
def test_of_many_refused_saves_at_once_the_log_keeps_no_more_than_the_limit(settings: Any) -> None:
    settings.REFUSED_KEPT = 3
    member = make_member(make_project())
    held = [make_assignment(member) for _ in range(THREADS)]
    outcomes = race([partial(save, one, HANDS, 7) for one in held])
    assert [type(outcome) for outcome in outcomes] == [StaleVersion] * THREADS
    assert sum(outcome.kept for outcome in outcomes if isinstance(outcome, StaleVersion)) == 3
    assert Event.objects.filter(verb="refused").count() == 3
