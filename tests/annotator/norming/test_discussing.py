"""Comments and agreed values: who may, when, and what two leads do at once."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.causes import CauseChoice
from annotator.annotations.saving import InvalidPayload
from annotator.models import Event, NormedImage, NormingComment
from annotator.norming.closing import close_session
from annotator.norming.discussing import ValueChanged, agree, comment
from annotator.norming.sessions import NormingRefused
from annotator.people.members import deactivate_person
from annotator.records.accounts import records_of
from tests.annotator.norming.making import Circle
from tests.factories import LEAD, make_member, make_payload

pytestmark = pytest.mark.django_db

AGREED = make_payload([("missing.limbs", "1/4c"), ("missing.hands", "1/3b")])


@pytest.fixture
def normed(circle: Circle) -> NormedImage:
    return circle.revealed().images.select_related("session__batch").get(place=1)


def settled(circle: Circle, normed: NormedImage, **changed: Any) -> NormedImage:
    asked: dict[str, Any] = {"payload": AGREED, "gaps": {}, "replaces": 0, "actor": circle.actor}
    return agree(normed=normed, **{**asked, **changed})


def test_the_first_thing_said_begins_the_discussion(circle: Circle, normed: NormedImage) -> None:
    made = comment(
        normed=normed,
        author=circle.ada,
        text=" A thumb is missing. ",
        component="missing.hands",
        request_key=uuid4(),
    )
    assert (made.text, made.component, made.author) == ("A thumb is missing.", "missing.hands", circle.ada)
    normed.session.refresh_from_db()
    assert normed.session.state == "discussing"
    comment(normed=normed, author=circle.lead, text="I see five.", request_key=uuid4())
    verbs = Event.objects.filter(verb__startswith="norming_").order_by("pk").values_list("verb", flat=True)
    assert list(verbs)[2:] == ["norming_discussed", "norming_commented", "norming_commented"]
    # Events outlive a purge, so they hold no texts.
    told = Event.objects.filter(verb="norming_commented").values_list("data", flat=True)
    assert not any("thumb" in str(data) for data in told)


def test_comments_are_among_the_data_of_their_author(circle: Circle, normed: NormedImage) -> None:
    comment(normed=normed, author=circle.ada, text="Mine.", request_key=uuid4())
    comment(normed=normed, author=circle.bob, text="Not mine.", request_key=uuid4())
    assert circle.ada.user is not None
    said = [row for row in records_of(circle.ada.user) if row["kind"] == "norming_comment"]
    assert [row["text"] for row in said] == ["Mine."]


def test_a_repeated_comment_is_stored_once(circle: Circle, normed: NormedImage) -> None:
    key = uuid4()
    one, same = (comment(normed=normed, author=circle.ada, text="Twice.", request_key=key) for _ in range(2))
    assert one == same
    assert NormingComment.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "component", "code"),
    [
        ("  ", "", "required"),
        ("x" * 2001, "", "max_length"),
        ("a\u202eb", "", "turned"),
        ("a\0b", "", "unstorable"),
        ("fine", "missing.tail", "unknown-cell"),
    ],
)
def test_bad_comments_are_refused(
    circle: Circle, normed: NormedImage, text: str, component: str, code: str
) -> None:
    with pytest.raises(NormingRefused) as said:
        comment(normed=normed, author=circle.ada, text=text, component=component, request_key=uuid4())
    assert said.value.code == code
    assert not NormingComment.objects.exists()


def test_only_active_participants_and_leads_comment(circle: Circle, normed: NormedImage) -> None:
    deactivate_person(membership=circle.bob, actor=circle.actor)
    for person in (circle.cyd, circle.bob):
        with pytest.raises(NormingRefused) as said:
            comment(normed=normed, author=person, text="Hello.", request_key=uuid4())
        assert said.value.code == "not-yours"


def test_nothing_is_said_before_or_after(circle: Circle, normed: NormedImage) -> None:
    circle.images = circle.images[3:]
    early = circle.start().images.select_related("session__batch").get(place=1)
    close_session(session=normed.session, references=[], actor=circle.actor)
    for one, code in ((early, "answering"), (normed, "closed")):
        with pytest.raises(NormingRefused) as said:
            comment(normed=one, author=circle.lead, text="Hello.", request_key=uuid4())
        assert said.value.code == code
        with pytest.raises(NormingRefused) as said:
            settled(circle, one)
        assert said.value.code == code


def test_an_agreed_value_is_versioned_and_recorded(circle: Circle, normed: NormedImage) -> None:
    gaps = {"missing.hands": {"says": "Count fingers.", "should_say": "Count hidden fingers as present."}}
    made = settled(circle, normed, gaps=gaps)
    assert (made.version, made.agreed, made.gaps, made.decided_by) == (1, AGREED, gaps, circle.lead)
    # Saving the same again changes nothing, whatever version the page showed.
    assert settled(circle, normed, gaps=gaps, replaces=0).version == 1
    other = make_payload([])
    assert settled(circle, normed, payload=other, replaces=1).version == 2
    first, second = Event.objects.filter(verb="norming_agreed").order_by("pk").values_list("data", flat=True)
    assert first["replaced"] == {"version": 0, "agreed": None}
    assert second["replaced"] == {"version": 1, "agreed": AGREED}
    assert "hidden fingers" not in str(first)


def test_causes_are_proposed_until_somebody_chooses_others(circle: Circle, normed: NormedImage) -> None:
    assert settled(circle, normed).causes is None
    proposed = {"causes": ["total", "severity"], "proposed": ["total", "severity"]}
    made = settled(circle, normed, causes={}, replaces=1)
    assert (made.version, made.causes) == (2, {"missing.hands": proposed})
    chosen = {"missing.hands": CauseChoice(("guideline_gap",))}
    made = settled(circle, normed, causes=chosen, replaces=2)
    assert made.causes == {"missing.hands": {**proposed, "causes": ["guideline_gap"]}}
    # All say the same of the limbs.
    with pytest.raises(InvalidPayload):
        settled(circle, normed, causes={"missing.limbs": CauseChoice(("slip",))}, replaces=3)


def test_a_second_lead_does_not_overwrite_the_first(circle: Circle, normed: NormedImage) -> None:
    second = make_member(circle.project, LEAD, code="second")
    settled(circle, normed)
    with pytest.raises(ValueChanged, match="lead has changed") as said:
        settled(circle, normed, payload=make_payload([]), actor=second.user)
    assert said.value.current.agreed == AGREED


def test_bad_values_are_refused(circle: Circle, normed: NormedImage) -> None:
    with pytest.raises(InvalidPayload):
        settled(circle, normed, payload={"marks": "none"})
    with pytest.raises(NormingRefused) as said:
        settled(circle, normed, gaps={"missing.hands": {"says": "x" * 401}})
    assert (said.value.code, "Missing · Hands" in str(said.value)) == ("max_length", True)
    with pytest.raises(NormingRefused) as said:
        settled(circle, normed, actor=circle.ada.user)
    assert said.value.code == "no-lead"
    normed.refresh_from_db()
    assert (normed.agreed, normed.version) == (None, 0)
