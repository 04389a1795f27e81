"""Settling under real concurrency: threads, connections and commits of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from annotator.annotations.adjudication import (
    AdjudicationRefused,
    Seen,
    adjudicate,
    annotations_of,
    seen,
    withdraw_adjudication,
)
from annotator.models import Adjudication, Annotation, Batch, Image, Membership, User
from annotator.people.adjudicators import give_right, withdraw_right
from annotator.records.image_deletion import delete_image
from tests.annotator.adjudicating import FIRST, Case, make_case, reopen, settle, submit_again
from tests.annotator.racing import kinds, race
from tests.factories import REVIEWER, make_image, make_member, make_payload, user_of

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 3


def decide(image: int, user: int, note: str, replaces: int, looked_at: Seen, key: UUID | None = None) -> Any:
    """What a request does: load the image, then settle it."""
    return adjudicate(
        image=Image.objects.get(pk=image),
        protocol="anatomy",
        actor=User.objects.get(pk=user),
        payload=make_payload([("missing.limbs", "1/4a")]),
        replaces=replaces,
        adjudicated_from=looked_at,
        request_key=key or uuid4(),
        note=note,
        causes={},
    )


def test_changing_and_withdrawing_at_once(case: Case) -> None:
    settle(case)
    looked_at = seen(annotations_of(case.image))

    def withdraw() -> Any:
        image, user = Image.objects.get(pk=case.image.pk), User.objects.get(pk=case.user.pk)
        return withdraw_adjudication(
            image=image, protocol="anatomy", actor=user, replaces=1, request_key=uuid4()
        )

    jobs: list[Callable[[], Any]] = [
        partial(decide, case.image.pk, case.user.pk, "changed", 1, looked_at),
        withdraw,
    ]
    outcomes = race(jobs)
    assert kinds(outcomes) == ["Adjudication", "StaleAdjudication"]
    assert Adjudication.objects.get().version == 2


@pytest.mark.parametrize("act", [partial(submit_again, payload=FIRST), reopen])
def test_a_value_is_never_adjudicated_from_what_has_just_changed(case: Case, act: Any) -> None:
    for _ in range(ROUNDS):
        one = make_case(case.project, make_image(case.project))
        looked_at = seen(annotations_of(one.image))

        def change(pk: int = one.b.pk) -> Any:
            found = Annotation.objects.select_related("assignment__batch__project", "assignment__annotator")
            return act(found.get(pk=pk))

        settle_it = partial(decide, one.image.pk, one.user.pk, "", 0, looked_at)
        jobs: list[Callable[[], Any]] = [settle_it, change]
        settled, changed = race(jobs)
        assert isinstance(changed, Annotation)
        won = isinstance(settled, Adjudication)
        assert won or type(settled).__name__ in {"AnnotationsChanged", "AdjudicationRefused"}
        row = Adjudication.objects.filter(image=one.image).first()
        assert (row is not None) == won
        # Causes are never inferred from annotations that nobody has looked at.
        assert row is None or row.adjudicated_from == [list(pair) for pair in looked_at]
        # Whoever came first, the annotation is what its annotator made it.
        stored = Annotation.objects.get(pk=one.b.pk)
        assert (stored.payload["marks"], stored.status) == (changed.payload["marks"], changed.status)


def test_settling_and_deleting_the_image_end_without_a_deadlock(case: Case) -> None:
    looked_at = seen(annotations_of(case.image))

    def delete() -> Any:
        image, user = Image.objects.get(pk=case.image.pk), User.objects.get(pk=case.user.pk)
        return delete_image(image=image, reason="Not ours.", actor=user)

    jobs: list[Callable[[], Any]] = [partial(decide, case.image.pk, case.user.pk, "", 0, looked_at), delete]
    outcomes = race(jobs)
    assert isinstance(outcomes[1], Image)
    assert type(outcomes[0]).__name__ in {"Adjudication", "AdjudicationRefused", "DoesNotExist"}


def test_a_lead_and_an_adjudicator_at_once(case: Case) -> None:
    reviewer = make_member(case.project, REVIEWER, code="rev")
    give_right(batch=case.batch, member=reviewer, codes_hidden=True, actor=case.user)
    looked_at = seen(annotations_of(case.image))
    people = (case.user.pk, user_of(reviewer).pk)
    outcomes = race([partial(decide, case.image.pk, user, str(user), 0, looked_at) for user in people])
    assert kinds(outcomes) == ["Adjudication", "StaleAdjudication"]
    row = Adjudication.objects.get()
    # Value, note and causes are all of the one who came first.
    assert (row.version, row.note) == (1, str(row.decided_by.user_id))
    assert row.causes == {"missing.limbs": {"causes": ["missed"], "proposed": ["missed"]}}


def test_the_right_is_withdrawn_while_it_is_used(case: Case) -> None:
    reviewer = make_member(case.project, REVIEWER, code="rev")
    give_right(batch=case.batch, member=reviewer, codes_hidden=True, actor=case.user)
    looked_at = seen(annotations_of(case.image))

    def withdraw() -> Any:
        lead, member = User.objects.get(pk=case.user.pk), Membership.objects.get(pk=reviewer.pk)
        return withdraw_right(batch=Batch.objects.get(pk=case.batch.pk), member=member, actor=lead)

    jobs: list[Callable[[], Any]] = [
        partial(decide, case.image.pk, user_of(reviewer).pk, "", 0, looked_at),
        withdraw,
    ]
    outcomes = race(jobs)
    assert outcomes[1] is True
    won = isinstance(outcomes[0], Adjudication)
    assert won or isinstance(outcomes[0], AdjudicationRefused)
    assert Adjudication.objects.exists() == won
