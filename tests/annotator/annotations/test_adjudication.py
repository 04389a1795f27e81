"""Settling an image, one request after the other and at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from annotator.annotations.adjudication import (
    AdjudicationRefused,
    AnnotationsChanged,
    RequestReused,
    Seen,
    StaleAdjudication,
    adjudicate,
    annotations_of,
    is_outdated,
    seen,
)
from annotator.annotations.causes import LONGEST_CAUSE_NOTE, CauseChoice
from annotator.models import Adjudication, Annotation, Batch, Event, Image, User
from annotator.people.adjudicators import choose_adjudicators
from scoring.protocol import InvalidPayload
from tests.annotator.acting import delete_with_all
from tests.annotator.adjudicating import (
    ADJUDICATED,
    FIRST,
    SECOND,
    Case,
    judged,
    make_case,
    reopen,
    settle,
    submit_again,
    withdraw,
)
from tests.annotator.racing import race
from tests.factories import REVIEWER, make_batch, make_image, make_member, make_payload, user_of
from tests.scoring.test_causes import ANSWER, REFERENCE
from tests.support.codes import refused

pytestmark = pytest.mark.django_db
at_once = pytest.mark.django_db(transaction=True)


def acts() -> list[tuple[str, dict[str, Any]]]:
    found = Event.objects.filter(verb__startswith="adjudicat").order_by("pk")
    return list(found.values_list("verb", "data"))


def test_adjudicating(case: Case) -> None:
    before = list(Annotation.objects.order_by("pk").values())
    key = uuid4()
    row = settle(case, note="  As the third look says.\r\nTwice. ", request_key=key)
    values = (row.version, row.status, row.payload, row.protocol)
    assert values == (1, "adjudicated", ADJUDICATED, "anatomy")
    # 1/4 moderate and 1/3 moderate: (1/4 + 1/3) / 2
    assert row.ratings == [
        ["cumulative_score", "", "7/24"],
        ["error_fraction", "missing.limbs.b", "1/4"],
        ["error_fraction", "extra.hands.b", "1/3"],
    ]
    assert row.score == "7/24"
    assert row.adjudicated_from == [[case.a.pk, 1], [case.b.pk, 1]]
    assert (row.note, row.decided_by) == ("As the third look says.\nTwice.", case.lead)
    assert list(Annotation.objects.order_by("pk").values()) == before
    ((verb, data),) = acts()
    assert (verb, data["version"], data["score"], data["replaced"]) == ("adjudicated", 1, "7/24", None)
    assert (data["image"], data["adjudicated_from"]) == (str(case.image.public_id), row.adjudicated_from)
    assert Event.objects.get(verb=verb).request_key == key


def test_changing_keeps_what_was(case: Case) -> None:
    settle(case, note="First.")
    row = settle(case, SECOND, replaces=1)
    assert (row.version, row.score, row.note) == (2, "1/6", "")
    assert Adjudication.objects.get() == row
    verb, data = acts()[-1]
    values = (verb, data["replaced"]["payload"], data["replaced"]["note"])
    assert values == ("adjudication_changed", ADJUDICATED, "First.")
    assert data["replaced"]["decided_by"] == "lead"


def test_only_the_latest_of_each_annotator(case: Case) -> None:
    later = judged(case.a.assignment.annotator, make_batch(case.project), case.image, SECOND)
    assert annotations_of(case.image, "anatomy") == [later, case.b]


def test_a_value_is_outdated_once_one_changes(case: Case) -> None:
    row = settle(case)
    assert not is_outdated(row, annotations_of(case.image, "anatomy"))
    submit_again(case.b, FIRST)
    assert is_outdated(row, annotations_of(case.image, "anatomy"))


def test_adjudicating_and_withdrawing(case: Case) -> None:
    key = uuid4()
    first = settle(case, request_key=key)
    assert settle(case, request_key=key) == first
    assert len(acts()) == 1
    key = uuid4()
    assert [withdraw(case, key=key).version for _ in range(2)] == [2, 2]
    assert len(acts()) == 2


def test_a_key_is_for_one_act(case: Case) -> None:
    key = uuid4()
    settle(case, request_key=key)
    with pytest.raises(RequestReused):
        settle(case, SECOND, request_key=key)
    with pytest.raises(RequestReused):
        withdraw(case, key=key)


def test_a_stale_version(case: Case) -> None:
    row = settle(case)
    for replaces in (0, 2):
        with pytest.raises(StaleAdjudication) as caught:
            settle(case, SECOND, replaces=replaces)
        assert caught.value.current == row
    with pytest.raises(StaleAdjudication):
        withdraw(case, replaces=2)
    assert len(acts()) == 1


def test_an_annotation_that_changed(case: Case) -> None:
    looked_at = seen(annotations_of(case.image, "anatomy"))
    submit_again(case.b, FIRST)
    with pytest.raises(AnnotationsChanged):
        settle(case, adjudicated_from=looked_at)
    assert not Adjudication.objects.exists()


def test_fewer_than_two_annotations(case: Case) -> None:
    reopen(case.a)
    with pytest.raises(AdjudicationRefused, match="one annotator has submitted"):
        settle(case)
    reopen(case.b)
    with pytest.raises(AdjudicationRefused, match="no annotator has submitted"):
        settle(case)
    for payload in (FIRST, SECOND):
        judged(case.a.assignment.annotator, make_batch(case.project), case.image, payload)
    with refused(AdjudicationRefused, "too-few"):
        settle(case)


def test_the_worked_example_as_proposed(case: Case) -> None:
    """The first annotator says what is decided."""
    submit_again(case.a, REFERENCE)
    submit_again(case.b, ANSWER)
    row = settle(case, REFERENCE, causes={})
    assert row.causes == {
        component: {"causes": causes, "proposed": causes}
        for component, causes in {
            "missing.hands": ["total", "severity"],
            "missing.face": ["missed"],
            "configuration.hands": ["count", "severity"],
            "proportion.limbs": ["not_an_error"],
        }.items()
    }


def test_changed_causes_stand_beside_the_proposed_ones(case: Case) -> None:
    chosen = {"missing.limbs": CauseChoice(("slip", "guideline_gap"), "  Which\n arm? ")}
    assert settle(case, causes=chosen).causes == {
        "missing.limbs": {"causes": ["guideline_gap", "slip"], "proposed": ["missed"], "note": "Which arm?"}
    }


@pytest.mark.parametrize(
    ("component", "choice", "told"),
    [
        ("extra.hands", CauseChoice(("slip",)), "do not differ in “extra.hands”"),
        ("nose", CauseChoice(("slip",)), "do not differ in “nose”"),
        ("missing.limbs", CauseChoice(("mood",)), "“mood” is not a cause"),
        ("missing.limbs", CauseChoice((), "x" * (LONGEST_CAUSE_NOTE + 1)), "301 characters. Shorten it"),
        ("missing.limbs", CauseChoice((), "\u202eturned"), "direction"),
    ],
)
def test_refused(case: Case, component: str, choice: CauseChoice, told: str) -> None:
    with pytest.raises(InvalidPayload) as refused:
        settle(case, causes={component: choice})
    assert list(refused.value.errors) == [f"causes.{component}"]
    assert told in str(refused.value.errors)
    assert not Adjudication.objects.exists()


def test_earlier_causes_stay_on_record(case: Case) -> None:
    settle(case, causes={"missing.limbs": CauseChoice(("slip",), "Mine.")})
    settle(case, SECOND, replaces=1, causes={})
    replaced = Event.objects.get(verb="adjudication_changed").data["replaced"]
    assert replaced["causes"]["missing.limbs"]["note"] == "Mine."


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


@at_once
@pytest.mark.parametrize("act", [partial(submit_again, payload=FIRST), reopen])
def test_a_value_is_never_adjudicated_from_what_has_just_changed(case: Case, act: Any) -> None:
    for _ in range(ROUNDS):
        one = make_case(case.project, make_image(case.project))
        looked_at = seen(annotations_of(one.image, "anatomy"))

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


@at_once
def test_settling_and_deleting_the_image_end_without_a_deadlock(case: Case) -> None:
    looked_at = seen(annotations_of(case.image, "anatomy"))

    def delete() -> Any:
        image, user = Image.objects.get(pk=case.image.pk), User.objects.get(pk=case.user.pk)
        return delete_with_all(image, user)

    jobs: list[Callable[[], Any]] = [partial(decide, case.image.pk, case.user.pk, "", 0, looked_at), delete]
    outcomes = race(jobs)
    assert outcomes[1] is None
    assert type(outcomes[0]).__name__ in {"Adjudication", "AdjudicationRefused", "DoesNotExist"}


@at_once
def test_the_right_is_withdrawn_while_it_is_used(case: Case) -> None:
    reviewer = make_member(case.project, REVIEWER, code="rev")
    choose_adjudicators(batch=case.batch, chosen=[reviewer], actor=case.user)
    looked_at = seen(annotations_of(case.image, "anatomy"))

    def withdraw() -> Any:
        lead, batch = User.objects.get(pk=case.user.pk), Batch.objects.get(pk=case.batch.pk)
        return choose_adjudicators(batch=batch, chosen=[], actor=lead)

    jobs: list[Callable[[], Any]] = [
        partial(decide, case.image.pk, user_of(reviewer).pk, "", 0, looked_at),
        withdraw,
    ]
    outcomes = race(jobs)
    assert outcomes[1] is None
    won = isinstance(outcomes[0], Adjudication)
    assert won or isinstance(outcomes[0], AdjudicationRefused)
    assert Adjudication.objects.exists() == won
