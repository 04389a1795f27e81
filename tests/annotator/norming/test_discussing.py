"""The discussion of a norming session, its minutes, and what happens without a lead."""

from __future__ import annotations

import csv
from typing import Any
from uuid import uuid4

import pytest

from annotator.models import Event, NormedImage, NormingComment
from annotator.norming.closing import close_session
from annotator.norming.discussing import ValueChanged, agree, comment
from annotator.norming.grids import grid_of
from annotator.norming.minutes import minutes, values_csv
from annotator.norming.sessions import NormingRefused, answers_of
from annotator.people.members import deactivate_person
from tests.annotator.norming.making import Circle
from tests.factories import LEAD, make_member, make_payload
from tests.support.codes import refused

pytestmark = pytest.mark.django_db
AGREED = make_payload([("missing.limbs", "1/4c"), ("missing.hands", "1/3b")])


@pytest.fixture
def normed(circle: Circle) -> NormedImage:
    return circle.revealed().images.select_related("session__batch").get(place=1)


def adjudicated(circle: Circle, normed: NormedImage, **changed: Any) -> NormedImage:
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
def test_comments_refused(circle: Circle, normed: NormedImage, text: str, component: str, code: str) -> None:
    with refused(NormingRefused, code):
        comment(normed=normed, author=circle.ada, text=text, component=component, request_key=uuid4())
    assert not NormingComment.objects.exists()


def test_only_active_participants_and_leads_comment(circle: Circle, normed: NormedImage) -> None:
    deactivate_person(membership=circle.bob, actor=circle.actor)
    for person in (circle.cyd, circle.bob):
        with refused(NormingRefused, "not-yours"):
            comment(normed=normed, author=person, text="Hello.", request_key=uuid4())


def test_nothing_is_said_before_or_after(circle: Circle, normed: NormedImage) -> None:
    circle.images = circle.images[3:]
    early = circle.start().images.select_related("session__batch").get(place=1)
    close_session(session=normed.session, references=[], actor=circle.actor)
    for one, code in ((early, "answering"), (normed, "closed")):
        with refused(NormingRefused, code):
            comment(normed=one, author=circle.lead, text="Hello.", request_key=uuid4())
        with refused(NormingRefused, code):
            adjudicated(circle, one)


def test_an_agreed_value_is_versioned_and_recorded(circle: Circle, normed: NormedImage) -> None:
    gaps = {"missing.hands": {"says": "Count fingers.", "should_say": "Count hidden fingers as present."}}
    made = adjudicated(circle, normed, gaps=gaps)
    assert (made.version, made.agreed, made.gaps, made.decided_by) == (1, AGREED, gaps, circle.lead)
    # Saving the same again changes nothing, whatever version the page showed.
    assert adjudicated(circle, normed, gaps=gaps, replaces=0).version == 1
    other = make_payload([])
    assert adjudicated(circle, normed, payload=other, replaces=1).version == 2
    first, second = Event.objects.filter(verb="norming_agreed").order_by("pk").values_list("data", flat=True)
    assert first["replaced"] == {"version": 0, "agreed": None}
    assert second["replaced"] == {"version": 1, "agreed": AGREED}
    assert "hidden fingers" not in str(first)


def test_a_second_lead_does_not_overwrite_the_first(circle: Circle, normed: NormedImage) -> None:
    second = make_member(circle.project, LEAD, code="second")
    adjudicated(circle, normed)
    with pytest.raises(ValueChanged, match="lead has changed") as said:
        adjudicated(circle, normed, payload=make_payload([]), actor=second.user)
    assert said.value.current.agreed == AGREED


def test_a_grid_says_per_cell_who_said_what(circle: Circle) -> None:
    session = circle.revealed()
    normed = session.images.get(place=1)
    grid = grid_of(normed, "anatomy", list(answers_of(session).filter(assignment__image=normed.image_id)))
    cells = {cell.key: cell for cell in grid.cells}
    assert len(cells) == 25
    limbs, hands, face = (cells[f"missing.{part}"] for part in ("limbs", "hands", "face"))
    assert [(said.text, said.codes) for said in limbs.said] == [("1/4c", ["ada", "bob"])]
    assert [(said.text, said.codes) for said in hands.said] == [("1/3b", ["ada"]), ("1/4c", ["bob"])]
    assert [(said.text, said.codes) for said in face.said] == [("", ["ada", "bob"])]
    assert [cell.key for cell in grid.differing] == ["missing.hands"]
    assert {cell.agreed for cell in grid.cells} == {None}


def test_nothing_is_exported_before_it_is_revealed(circle: Circle) -> None:
    session = circle.start()
    for write in (minutes, values_csv):
        with pytest.raises(NormingRefused):
            write(session)


def test_the_values_are_one_row_per_marked_cell_and_annotator(circle: Circle) -> None:
    session = circle.revealed()
    normed = session.images.select_related("session__batch").get(place=1)
    gaps = {"missing.hands": {"says": "=1+1", "should_say": "Count it."}}
    agree(normed=normed, actor=circle.actor, payload=make_payload([]), gaps=gaps, replaces=0, causes={})
    head, *rows = csv.reader(values_csv(session).splitlines())
    assert head == [
        *("place", "file", "sha256", "cell", "annotator"),
        *("value", "agreed", "guideline_says", "should_say", "causes"),
    ]
    assert len(rows) == 3 * 2 * 2
    assert [row[3:] for row in rows[:4]] == [
        ["missing.limbs", "ada", "1/4c", "–", "", "", ""],
        ["missing.limbs", "bob", "1/4c", "–", "", "", ""],
        ["missing.hands", "ada", "1/3b", "–", "'=1+1", "Count it.", "not_an_error total severity"],
        ["missing.hands", "bob", "1/4c", "–", "'=1+1", "Count it.", "not_an_error total severity"],
    ]
    assert [row[6] for row in rows[4:]] == [""] * 8


def test_the_minutes_hold_values_comments_and_gaps(circle: Circle) -> None:
    session = circle.revealed()
    normed = session.images.select_related("session__batch").get(place=1)
    comment(
        normed=normed,
        author=circle.ada,
        text="See | the *thumb*",
        component="missing.hands",
        request_key=uuid4(),
    )
    gaps = {"missing.hands": {"says": "", "should_say": "Count <b>thumbs</b>."}}
    payload = make_payload([("missing.hands", "1/3b")])
    agree(normed=normed, actor=circle.actor, payload=payload, gaps=gaps, replaces=0, causes={})
    session.refresh_from_db()
    lines = minutes(session).splitlines()
    assert "- Participants: ada, bob" in lines
    assert "| Cell | ada | bob | Agreed | Causes |" in lines
    assert "| Missing · Hands | 1/3b | 1/4c | 1/3b | total, severity |" in lines
    assert "| Missing · Limbs | 1/4c | 1/4c | – |  |" in lines
    assert any(
        line.startswith("- ada, Missing · Hands (") and line.endswith(r"See \| the \*thumb\*")
        for line in lines
    )
    assert r"| 1 | Missing · Hands |  | Count \<b\>thumbs\</b\>. |" in lines
    assert lines.count("No agreed value.") == 2
