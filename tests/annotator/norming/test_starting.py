"""Norming sessions: their start, their discussion, and their end."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.summaries import summarise
from annotator.batches.assignments import InvalidBatch
from annotator.models import (
    Assignment,
    Batch,
    Event,
    NormedImage,
    NormingComment,
    NormingSession,
    Reference,
)
from annotator.norming.discussing import agree, comment, grid_of
from annotator.norming.revealing import close_session
from annotator.norming.sessions import NormingRefused, answers_of
from annotator.norming.starting import pool_of, with_spread
from annotator.people.members import deactivate_person
from tests.analysis.factories import make_submitted
from tests.annotator.norming.making import Circle
from tests.annotator.planned import given
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, make_project
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
    assert session.state == "answering"
    told = Event.objects.get(verb="norming_started").data
    assert (told["people"], told["images"]) == (["ada", "bob"], 4)


def test_three_to_twelve_images(circle: Circle) -> None:
    images = [*circle.images, *(make_image(circle.project) for _ in range(6))]
    for count in (2, 13):
        assert refused(circle, images=[image.pk for image in images[:count]]) == "image-count"


def test_at_least_two_participants_who_are_active_annotators(circle: Circle) -> None:
    assert refused(circle, people=[circle.ada]) == "people-count"
    assert refused(circle, people=[circle.ada, circle.ada]) == "people-count"
    assert refused(circle, people=[circle.ada, circle.lead]) == "left"
    stranger = make_member(make_project())
    assert refused(circle, people=[circle.ada, stranger]) == "left"
    many = [make_member(circle.project, code=f"p{number}") for number in range(21)]
    assert refused(circle, people=many) == "people-count"
    deactivate_person(membership=circle.bob, actor=circle.actor)
    assert refused(circle) == "left"


def test_images_that_would_be_adjudicated_by_the_discussion_are_refused(circle: Circle) -> None:
    make_assignment(circle.bob, image=circle.images[1])
    with refused_for(NormingRefused, "taken-images"):
        circle.start()
    # What a participant has judged already, and what others have to judge, may be normed.
    Assignment.objects.update(status="done")
    make_assignment(circle.cyd, image=circle.images[1])
    assert circle.start().images.count() == 3


def test_no_image_is_normed_twice(circle: Circle) -> None:
    circle.start()
    with refused_for(NormingRefused, "taken-images"):
        circle.start(people=[circle.ada, circle.cyd])
    assert NormingSession.objects.count() == 1


def test_what_was_normed_never_comes_as_work_to_its_participants(circle: Circle) -> None:
    circle.start()
    with refused_for(InvalidBatch, "trained"):
        given("work", circle.images[:1], circle.ada)
    for name, image, person in (("one", 0, circle.cyd), ("two", 5, circle.ada)):
        assert given(name, [circle.images[image]], person).assignments.count() == 1


def test_a_second_round_follows_a_revealed_one_once(circle: Circle) -> None:
    early = circle.start(name="early")
    with refused_for(NormingRefused, "no-second"):
        circle.start(follows=early)
    del circle.images[:3]
    first = circle.revealed(3)
    # Eight images are there, and six are in sessions.
    with pytest.raises(NormingRefused, match="Only 2 images can be used; 3 are needed"):
        circle.start(follows=first)
    circle.images += [make_image(circle.project) for _ in range(3)]
    second = circle.start(follows=first)
    assert (second.follows, second.images.count()) == (first, 3)
    assert not set(first.images.values_list("image")) & set(second.images.values_list("image"))
    with refused_for(NormingRefused, "no-second"):
        circle.start(follows=first)


def test_a_second_round_is_of_the_same_strata(circle: Circle) -> None:
    first = circle.revealed(images=[circle.images[place].pk for place in (0, 1, 2)])
    second = circle.start(follows=first)
    assert sorted(second.images.values_list("image__generator", flat=True)) == ["alpha", "alpha", "beta"]


AGREED = make_payload([("missing.limbs", "1/4c"), ("missing.hands", "1/3b")])


def test_confirmed_values_become_references(circle: Circle) -> None:
    session = circle.revealed()
    first, second, _ = session.images.select_related("session__batch")
    for normed in (first, second):
        agree(normed=normed, actor=circle.actor, payload=AGREED, replaces=0)
    session.refresh_from_db()
    assert close_session(session=session, references=[first.pk], actor=circle.actor)
    made = Reference.objects.get()
    assert (made.image, made.origin, made.payload, made.status) == (first.image, "normed", AGREED, "active")
    session.refresh_from_db()
    assert session.state == "closed"
    told = Event.objects.get(verb="norming_closed").data
    assert (told["references"], told["revealed"]) == ([1], True)


def test_what_a_participant_can_still_judge_is_left_out(circle: Circle) -> None:
    batch, closed = make_batch(circle.project), make_batch(circle.project, status="closed")
    make_assignment(circle.ada, image=circle.images[0], batch=batch)
    make_assignment(circle.ada, image=circle.images[1], batch=batch, status="skipped")
    make_assignment(circle.ada, image=circle.images[2], batch=closed, status="skipped")
    make_assignment(circle.ada, image=circle.images[3], batch=batch, status="done")
    make_assignment(circle.cyd, image=circle.images[4], batch=batch, status="skipped")
    pool = pool_of(circle.project, "anatomy", [circle.ada, circle.bob])
    assert set(pool) == set(circle.images[2:])


def test_those_furthest_apart_come_first(circle: Circle) -> None:
    said = [("1/4a", "1/4a"), ("1/4a", "4/4c"), ("1/4c", "2/4c"), ("1/4b",)]
    for image, terms in zip(circle.images, said, strict=False):
        batch = make_batch(circle.project)
        for person, term in zip((circle.ada, circle.bob), terms, strict=False):
            make_submitted(person, [("missing.limbs", term)], image=image, batch=batch)
    summarise(circle.project.pk, [image.pk for image in circle.images], "anatomy")
    pool = pool_of(circle.project, "anatomy", [circle.ada, circle.bob])
    # Spreads: 0, 0.95, 0.25; one annotator alone has none.
    offered = list(with_spread(pool, "anatomy"))
    assert offered[:3] == [circle.images[place] for place in (1, 2, 0)]
    assert [image.spread for image in offered[:3]] == pytest.approx([0.95, 0.25, 0.0])  # type: ignore[attr-defined]
    assert len(offered) == 8


@pytest.fixture
def normed(circle: Circle) -> NormedImage:
    return circle.revealed().images.select_related("session__batch").get(place=1)


def adjudicated(circle: Circle, normed: NormedImage, **changed: Any) -> NormedImage:
    asked: dict[str, Any] = {"payload": AGREED, "replaces": 0, "actor": circle.actor}
    return agree(normed=normed, **{**asked, **changed})


def test_what_is_said_is_in_no_event(circle: Circle, normed: NormedImage) -> None:
    made = comment(
        normed=normed,
        author=circle.ada,
        text=" A thumb is missing. ",
        component="missing.hands",
        request_key=uuid4(),
    )
    assert (made.text, made.component, made.author) == ("A thumb is missing.", "missing.hands", circle.ada)
    # Events outlive a purge, so they hold no texts.
    assert "thumb" not in str(Event.objects.get(verb="norming_commented").data)


def test_a_comment_needs_a_text_and_a_known_cell(circle: Circle, normed: NormedImage) -> None:
    for text, component, code in (("  ", "", "required"), ("fine", "missing.tail", "unknown-cell")):
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
    made = adjudicated(circle, normed)
    assert (made.version, made.agreed, made.decided_by) == (1, AGREED, circle.lead)
    # Saving the same again changes nothing, whatever version the page showed.
    assert adjudicated(circle, normed, replaces=0).version == 1
    other = make_payload([])
    assert adjudicated(circle, normed, payload=other, replaces=1).version == 2
    first, second = Event.objects.filter(verb="norming_agreed").order_by("pk").values_list("data", flat=True)
    assert first["replaced"] == {"version": 0, "agreed": None}
    assert second["replaced"] == {"version": 1, "agreed": AGREED}


def test_a_grid_says_per_cell_who_said_what(circle: Circle) -> None:
    session = circle.revealed()
    normed = session.images.get(place=1)
    grid = grid_of(normed, "anatomy", list(answers_of(session).filter(assignment__image=normed.image_id)))
    cells = {cell["key"]: cell for cell in grid["cells"]}
    assert len(cells) == 25
    limbs, hands, face = (cells[f"missing.{part}"] for part in ("limbs", "hands", "face"))
    said = [[(one["text"], one["codes"]) for one in cell["said"]] for cell in (limbs, hands, face)]
    assert said == [
        [("1/4c", ["ada", "bob"])],
        [("1/3b", ["ada"]), ("1/4c", ["bob"])],
        [("", ["ada", "bob"])],
    ]
    assert [cell["key"] for cell in grid["differing"]] == ["missing.hands"]
    assert {cell["agreed"] for cell in grid["cells"]} == {None}
