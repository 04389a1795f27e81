"""Norming sessions: their start, their discussion with its minutes, and their end."""

from __future__ import annotations

import csv
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.summaries import summarise
from annotator.batches.assignments import InvalidBatch
from annotator.models import (
    Assignment,
    Batch,
    Event,
    Image,
    NormedImage,
    NormingComment,
    NormingSession,
    Reference,
)
from annotator.norming import picking
from annotator.norming.closing import close_session
from annotator.norming.discussing import ValueChanged, agree, comment
from annotator.norming.grids import grid_of
from annotator.norming.minutes import minutes, values_csv
from annotator.norming.sessions import NormingRefused, answers_of
from annotator.people.members import deactivate_person
from tests.analysis.factories import make_submitted
from tests.annotator.norming.making import Circle, make_circle
from tests.annotator.planned import given
from tests.factories import (
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_payload,
    make_project,
)
from tests.support.codes import refused as refused_for

pytestmark = pytest.mark.django_db


def refused(circle: Circle, **changed: Any) -> str:
    """The code of the refusal, after which nothing is stored."""
    before = Event.objects.count(), Batch.objects.count()
    with pytest.raises((NormingRefused, InvalidBatch)) as said:
        circle.start(**changed)
    assert (Event.objects.count(), Batch.objects.count()) == before
    assert not NormingSession.objects.exists()
    return said.value.code


def test_every_participant_gets_every_image_in_the_same_order(circle: Circle) -> None:
    session = circle.start(4)
    wanted = [image.pk for image in circle.images[:4]]
    for person in (circle.ada, circle.bob):
        rows = Assignment.objects.filter(batch=session.batch, annotator=person).order_by("position")
        assert list(rows.values_list("image", "position", "purpose")) == [
            (image, place, "norming") for place, image in enumerate(wanted, 1)
        ]
    assert not circle.cyd.assignments.exists()
    assert list(session.images.values_list("image", "place")) == [
        (image, place) for place, image in enumerate(wanted, 1)
    ]
    assert (session.state, session.picked, session.seed, session.made_by) == (
        "answering",
        "chosen",
        None,
        circle.lead,
    )
    told = Event.objects.get(verb="norming_started").data
    assert (told["people"], told["images"], told["picked"]) == (["ada", "bob"], 4, "chosen")


@pytest.mark.parametrize(("count", "code"), [(2, "image-count"), (13, "image-count")])
def test_three_to_twelve_images(circle: Circle, count: int, code: str) -> None:
    images = [*circle.images, *(make_image(circle.project) for _ in range(6))][:count]
    assert refused(circle, picked="chosen", count=3, images=[image.pk for image in images]) == code
    assert refused(circle, picked="random", count=count) == code


def test_at_least_two_participants_who_are_active_annotators(circle: Circle) -> None:
    assert refused(circle, people=[circle.ada]) == "too-few-people"
    assert refused(circle, people=[circle.ada, circle.ada]) == "too-few-people"
    assert refused(circle, people=[circle.ada, circle.lead]) == "left"
    stranger = make_member(make_project())
    assert refused(circle, people=[circle.ada, stranger]) == "left"
    many = [make_member(circle.project, code=f"p{number}") for number in range(21)]
    assert refused(circle, people=many) == "too-many-people"
    deactivate_person(membership=circle.bob, actor=circle.actor)
    assert refused(circle) == "left"


def test_only_a_lead_starts_one(circle: Circle) -> None:
    assert refused(circle, actor=circle.ada.user) == "no-lead"
    other = make_circle("other")
    assert refused(circle, actor=other.actor) == "no-lead"


def test_images_that_would_be_adjudicated_by_the_discussion_are_refused(circle: Circle) -> None:
    make_assignment(circle.bob, image=circle.images[1])
    with pytest.raises(NormingRefused, match=circle.images[1].source_name):
        circle.start()
    # What a participant has judged already, and what others have to judge, may be normed.
    Assignment.objects.update(status="done")
    make_assignment(circle.cyd, image=circle.images[1])
    assert circle.start().images.count() == 3


def test_no_image_is_normed_twice(circle: Circle) -> None:
    circle.start()
    with refused_for(NormingRefused, "taken-images"):
        circle.start(people=[circle.ada, circle.cyd])
    # Eight images are there, and three are in the first session.
    with pytest.raises(NormingRefused, match="Only 5 images can be used; 6 are needed"):
        circle.start(picked="random", count=6)
    assert NormingSession.objects.count() == 1


def test_what_was_normed_never_comes_as_work_to_its_participants(circle: Circle) -> None:
    circle.start()
    with refused_for(InvalidBatch, "trained"):
        given("work", circle.images[:1], circle.ada)
    for name, image, person in (("one", 0, circle.cyd), ("two", 5, circle.ada)):
        assert given(name, [circle.images[image]], person).assignments.count() == 1


def test_a_second_round_follows_a_revealed_one_once(circle: Circle) -> None:
    early = circle.start(name="early")
    with refused_for(NormingRefused, "not-revealed"):
        circle.start(picked="alike", follows=early)
    del circle.images[:3]
    first = circle.revealed(2 + 1)
    circle.images += [make_image(circle.project) for _ in range(3)]
    second = circle.start(picked="alike", follows=first)
    assert (second.follows, second.images.count()) == (first, 3)
    assert not set(first.images.values_list("image")) & set(second.images.values_list("image"))
    with refused_for(NormingRefused, "has-second"):
        circle.start(picked="alike", follows=first)


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


@pytest.fixture
def larger_circle(db: None) -> Circle:
    return make_circle(images=12)


def judged(circle: Circle, image: Image, *terms: str) -> None:
    """Have ada, bob and cyd submit one mark each."""
    batch = make_batch(circle.project)
    for person, term in zip((circle.ada, circle.bob, circle.cyd), terms, strict=False):
        row = make_assignment(person, image=image, batch=batch, status="done")
        made = make_submitted(person, [("missing.limbs", term)], assignment=row)
        assert made.pk
    summarise(circle.project.pk, [image.pk], "anatomy")


def test_what_a_participant_can_still_judge_is_left_out(larger_circle: Circle) -> None:
    batch, closed = make_batch(larger_circle.project), make_batch(larger_circle.project, status="closed")
    make_assignment(larger_circle.ada, image=larger_circle.images[0], batch=batch)
    make_assignment(larger_circle.ada, image=larger_circle.images[1], batch=batch, status="skipped")
    make_assignment(larger_circle.ada, image=larger_circle.images[2], batch=closed, status="skipped")
    make_assignment(larger_circle.ada, image=larger_circle.images[3], batch=batch, status="done")
    make_assignment(larger_circle.cyd, image=larger_circle.images[4], batch=batch, status="skipped")
    pool = picking.pool_of(larger_circle.project, "anatomy", [larger_circle.ada, larger_circle.bob])
    assert set(pool) == set(larger_circle.images[2:])


def test_those_furthest_apart_come_first(larger_circle: Circle) -> None:
    for place, terms in enumerate([("1/4a", "1/4a"), ("1/4a", "4/4c"), ("1/4c", "2/4c"), ("1/4b",)]):
        judged(larger_circle, larger_circle.images[place], *terms)
    pool = picking.pool_of(larger_circle.project, "anatomy", [larger_circle.ada, larger_circle.bob])
    found = picking.furthest_apart(pool, larger_circle.project, "anatomy", 12)
    # Spreads: 0, 0.95, 0.25; one annotator alone has none.
    assert found.images == [larger_circle.images[place].pk for place in (1, 2, 0)]
    assert picking.furthest_apart(pool, larger_circle.project, "anatomy", 2).images == found.images[:2]
    offered = list(picking.with_spread(pool, "anatomy"))
    assert [image.pk for image in offered[:3]] == found.images
    assert [image.spread for image in offered[:3]] == pytest.approx([0.95, 0.25, 0.0])  # type: ignore[attr-defined]
    assert len(offered) == 12


def test_a_random_sample_follows_from_its_seed(larger_circle: Circle) -> None:
    pool = picking.pool_of(larger_circle.project, "anatomy", [larger_circle.ada])
    one, same, other = (picking.at_random(pool, 5, seed).images for seed in (1, 1, 2))
    assert one == same != other
    assert len(set(one)) == 5


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
    with refused_for(NormingRefused, code):
        comment(normed=normed, author=circle.ada, text=text, component=component, request_key=uuid4())
    assert not NormingComment.objects.exists()


def test_only_active_participants_and_leads_comment(circle: Circle, normed: NormedImage) -> None:
    deactivate_person(membership=circle.bob, actor=circle.actor)
    for person in (circle.cyd, circle.bob):
        with refused_for(NormingRefused, "not-yours"):
            comment(normed=normed, author=person, text="Hello.", request_key=uuid4())


def test_nothing_is_said_before_or_after(circle: Circle, normed: NormedImage) -> None:
    circle.images = circle.images[3:]
    early = circle.start().images.select_related("session__batch").get(place=1)
    close_session(session=normed.session, references=[], actor=circle.actor)
    for one, code in ((early, "answering"), (normed, "closed")):
        with refused_for(NormingRefused, code):
            comment(normed=one, author=circle.lead, text="Hello.", request_key=uuid4())
        with refused_for(NormingRefused, code):
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
