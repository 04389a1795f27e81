"""Closing: confirmed values become references, and what the guideline lacks is listed."""

from __future__ import annotations

import pytest

from annotator.models import Event, NormingSession, Reference
from annotator.norming.closing import close_session, gaps_of
from annotator.norming.discussing import agree
from annotator.norming.sessions import NormingRefused
from tests.annotator.norming.making import Circle
from tests.factories import make_payload

pytestmark = pytest.mark.django_db

AGREED = make_payload([("missing.limbs", "1/4c"), ("missing.hands", "1/3b")])
GAPS = {
    "missing.hands": {"says": "Count fingers.", "should_say": "Count hidden fingers as present."},
    "extra.face": {"says": "", "should_say": "A double chin is no extra face."},
}


@pytest.fixture
def session(circle: Circle) -> NormingSession:
    """A session with agreed values for the first two of three images."""
    made = circle.revealed()
    for normed in made.images.select_related("session__batch").filter(place__lte=2):
        gaps = GAPS if normed.place == 1 else {}
        agree(normed=normed, actor=circle.actor, payload=AGREED, gaps=gaps, replaces=0)
    made.refresh_from_db()
    return made


def test_confirmed_values_become_references_with_rationales(circle: Circle, session: NormingSession) -> None:
    first, second, _ = session.images.all()
    assert close_session(session=session, references=[first.pk], actor=circle.actor)
    made = Reference.objects.get()
    assert (made.image, made.origin, made.payload, made.status) == (first.image, "normed", AGREED, "active")
    # Also for a cell that it leaves empty: that is what annotators get wrong there.
    assert made.rationales == {
        "missing.hands": "Count hidden fingers as present.",
        "extra.face": "A double chin is no extra face.",
    }
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.reference, second.reference) == (made, None)
    session.refresh_from_db()
    assert (session.state, session.closed_at is not None) == ("closed", True)
    told = Event.objects.get(verb="norming_closed").data
    assert (told["references"], told["revealed"]) == ([1], True)


def test_closing_twice_changes_nothing(circle: Circle, session: NormingSession) -> None:
    first = session.images.get(place=1)
    close_session(session=session, references=[], actor=circle.actor)
    events = Event.objects.count()
    assert not close_session(session=session, references=[first.pk], actor=circle.actor)
    assert not Reference.objects.exists()
    assert Event.objects.count() == events


def test_a_value_that_is_missing_is_named(circle: Circle, session: NormingSession) -> None:
    every = list(session.images.values_list("pk", flat=True))
    with pytest.raises(NormingRefused, match="image 3") as said:
        close_session(session=session, references=every, actor=circle.actor)
    assert said.value.code == "undecided"
    with pytest.raises(NormingRefused) as said:
        close_session(session=session, references=[10**9], actor=circle.actor)
    assert said.value.code == "unknown-image"
    with pytest.raises(NormingRefused) as said:
        close_session(session=session, references=[], actor=circle.ada.user)  # type: ignore[arg-type]
    assert said.value.code == "no-lead"
    session.refresh_from_db()
    assert session.state == "discussing"
    assert not Reference.objects.exists()


def test_gaps_are_listed_by_image_and_cell(session: NormingSession) -> None:
    found = [(gap.normed.place, gap.component, gap.says, gap.should_say) for gap in gaps_of(session)]
    assert found == [
        (1, "missing.hands", "Count fingers.", "Count hidden fingers as present."),
        (1, "extra.face", "", "A double chin is no extra face."),
    ]
