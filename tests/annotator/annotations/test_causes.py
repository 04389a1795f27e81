"""The causes stored with an adjudication: proposed or changed, checked, versioned, and left out."""

from __future__ import annotations

import pytest

from annotator.annotations.adjudication_history import decisions_of
from annotator.annotations.causes import LONGEST_CAUSE_NOTE, CauseChoice
from annotator.annotations.saving import InvalidPayload
from annotator.models import Adjudication, Event
from tests.annotator.adjudicating import SECOND, Case, make_case, settle, submit_again
from tests.factories import make_project
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


def test_changed_causes_stand_beside_the_proposed_ones(case: Case) -> None:
    chosen = {"missing.limbs": CauseChoice(("slip", "guideline_gap"), "  Which\n arm? ")}
    assert settle(case, causes=chosen).causes == {
        "missing.limbs": {
            "causes": ["guideline_gap", "slip"],
            "proposed": ["missed"],
            "note": "Which arm?",
        }
    }


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


def test_earlier_causes_stay_on_record(case: Case) -> None:
    settle(case, causes={"missing.limbs": CauseChoice(("slip",), "Mine.")})
    settle(case, SECOND, replaces=1, causes={})
    latest, earlier = decisions_of(Adjudication.objects.get())
    assert latest.named_causes == [("missing.limbs", "Not an error", "")]
    assert earlier.named_causes == [("missing.limbs", "Slip", "Mine.")]
    assert Event.objects.get(verb="adjudication_changed").data["replaced"]["causes"] == earlier.causes
