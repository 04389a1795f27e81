"""The causes stored with an adjudication: proposed or changed, checked, versioned, and left out."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.adjudication import RequestReused
from annotator.annotations.adjudication_history import decisions_of
from annotator.annotations.causes import LONGEST_CAUSE_NOTE, CauseChoice
from annotator.annotations.saving import InvalidPayload
from annotator.models import Adjudication, Event
from tests.annotator.adjudicating import FIRST, SECOND, Case, judged, make_case, settle, submit_again
from tests.factories import make_member, make_payload, make_project
from tests.scoring.test_causes import ANSWER, REFERENCE

pytestmark = pytest.mark.django_db


@pytest.fixture
def worked() -> Case:
    """The worked example: the first annotator says what is decided."""
    made = make_case(make_project())
    submit_again(made.a, REFERENCE)
    submit_again(made.b, ANSWER)
    return made


def test_the_worked_example_as_proposed(worked: Case) -> None:
    row = settle(worked, REFERENCE, causes={})
    assert row.causes == {
        component: {"causes": causes, "proposed": causes}
        for component, causes in {
            "missing.hands": ["total", "severity"],
            "missing.face": ["missed"],
            "configuration.hands": ["count", "severity"],
            "proportion.limbs": ["not_an_error"],
        }.items()
    }


def test_what_is_proposed_follows_what_is_decided(case: Case) -> None:
    assert settle(case, FIRST, causes={}).causes == {
        "missing.limbs": {"causes": ["missed"], "proposed": ["missed"]}
    }
    assert settle(case, SECOND, replaces=1, causes={}).causes == {
        "missing.limbs": {"causes": ["not_an_error"], "proposed": ["not_an_error"]}
    }


def test_changed_causes_stand_beside_the_proposed_ones(case: Case) -> None:
    chosen = {"missing.limbs": CauseChoice(("slip", "guideline_gap"), "  Which\n arm? ")}
    assert settle(case, causes=chosen).causes == {
        "missing.limbs": {
            "causes": ["guideline_gap", "slip"],
            "proposed": ["missed"],
            "note": "Which arm?",
        }
    }


def test_not_recorded_is_not_empty(case: Case) -> None:
    assert settle(case).causes is None
    submit_again(case.b, FIRST)
    assert settle(case, FIRST, replaces=1, causes={}).causes == {}


def test_three_annotators(case: Case) -> None:
    milder = make_payload([("missing.limbs", "1/4a"), ("extra.hands", "1/3b")])
    judged(make_member(case.project, code="anno3"), case.batch, case.image, milder)
    row = settle(case, causes={})
    assert row.causes is not None
    assert row.causes["missing.limbs"]["causes"] == ["missed", "severity"]


@pytest.mark.parametrize(
    ("component", "choice", "told"),
    [
        ("extra.hands", CauseChoice(("slip",)), "do not differ in “extra.hands”"),
        ("nose", CauseChoice(("slip",)), "do not differ in “nose”"),
        ("missing.limbs", CauseChoice(("mood",)), "“mood” is not a cause"),
        (
            "missing.limbs",
            CauseChoice((), "x" * (LONGEST_CAUSE_NOTE + 1)),
            "301 characters. Shorten it to 300",
        ),
        ("missing.limbs", CauseChoice((), "\u202eturned"), "direction"),
    ],
)
def test_refused(case: Case, component: str, choice: CauseChoice, told: str) -> None:
    with pytest.raises(InvalidPayload) as refused:
        settle(case, causes={component: choice})
    assert list(refused.value.errors) == [f"causes.{component}"]
    assert told in str(refused.value.errors)
    assert not Adjudication.objects.exists()


def test_a_cell_for_which_nothing_is_proposed_needs_a_choice(case: Case) -> None:
    submit_again(case.a, make_payload([("missing.limbs", "1/4b"), ("missing.limbs", "2/4c")]))
    submit_again(case.b, make_payload([("missing.limbs", "2/4b"), ("missing.limbs", "1/4c")]))
    with pytest.raises(InvalidPayload, match="at least one cause"):
        settle(case, causes={})
    assert settle(case, causes={"missing.limbs": CauseChoice(("slip",))}).causes == {
        "missing.limbs": {"causes": ["slip"], "proposed": []}
    }


def test_earlier_causes_stay_on_record(case: Case) -> None:
    settle(case, causes={"missing.limbs": CauseChoice(("slip",), "Mine.")})
    settle(case, SECOND, replaces=1, causes={})
    latest, earlier = decisions_of(Adjudication.objects.get())
    assert latest.named_causes == [("missing.limbs", "Not an error", "")]
    assert earlier.named_causes == [("missing.limbs", "Slip", "Mine.")]
    assert Event.objects.get(verb="adjudication_changed").data["replaced"]["causes"] == earlier.causes


@pytest.mark.parametrize(
    ("again", "is_same"), [({}, True), (("missed",), True), (("slip",), False), (None, False)]
)
def test_the_same_key_with_other_causes(case: Case, again: Any, is_same: bool) -> None:
    key = uuid4()
    settle(case, causes={}, request_key=key)
    causes = {"missing.limbs": CauseChoice(again)} if isinstance(again, tuple) else again
    if is_same:
        assert settle(case, causes=causes, request_key=key).version == 1
    else:
        with pytest.raises(RequestReused):
            settle(case, causes=causes, request_key=key)
    assert Adjudication.objects.get().version == 1
