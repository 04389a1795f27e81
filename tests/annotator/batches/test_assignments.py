"""Releasing a batch."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.batches.assignments import InvalidBatch, release_batch
from annotator.models import Assignment, Batch, Event, Image, Membership, Project
from scoring.service import UnknownProtocol
from tests.annotator.racing import race
from tests.factories import LEAD, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def people(project: Project) -> list[Membership]:
    return [make_member(project, code=code) for code in ("anna", "bert")]


@pytest.fixture
def images(project: Project) -> list[Image]:
    return [make_image(project) for _ in range(3)]


def release(project: Project, rows: list[tuple[int, int]], **fields: Any) -> Batch:
    return release_batch(project=project, rows=rows, **{"name": "first", **fields})


def placed(batch: Batch, member: Membership) -> list[tuple[int | None, int, str]]:
    rows = Assignment.objects.filter(batch=batch, annotator=member).order_by("position")
    return list(rows.values_list("position", "image", "status"))


def test_each_queue_follows_the_plan(project: Project, people: list[Membership], images: list[Image]) -> None:
    anna, bert = people
    one, two, three = images
    rows = [(two.pk, anna.pk), (one.pk, bert.pk), (one.pk, anna.pk), (three.pk, bert.pk)]
    lead = make_member(project, LEAD).user
    batch = release(project, rows, overlap=Decimal("0.3333"), coders=2, seed=7, actor=lead)
    assert placed(batch, anna) == [(1, two.pk, "open"), (2, one.pk, "open")]
    assert placed(batch, bert) == [(1, one.pk, "open"), (2, three.pk, "open")]
    batch.refresh_from_db()
    assert (batch.project, batch.name, batch.protocol) == (project, "first", "anatomy")
    assert (batch.overlap, batch.coders, batch.seed) == (Decimal("0.3333"), 2, 7)
    event = Event.objects.get()
    assert (event.verb, event.project, event.actor) == ("batch_released", project, lead)
    assert event.data == {
        "batch": batch.pk,
        "name": "first",
        "protocol": "anatomy",
        "overlap": "0.3333",
        "coders": 2,
        "seed": 7,
        "show_prompt": False,
        "show_generator": False,
        "guided": False,
        "score_shown": "choice",
        "assignments": {"anna": 2, "bert": 2},
    }


def test_an_image_may_come_again_in_another_batch(
    project: Project, people: list[Membership], images: list[Image]
) -> None:
    rows = [(images[0].pk, people[0].pk)]
    batches = [release(project, rows, name=name) for name in ("first", "second")]
    assert [placed(batch, people[0]) for batch in batches] == [[(1, images[0].pk, "open")]] * 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": " "}, "a batch name"),
        ({"name": "x" * 121}, "a batch name"),
        ({"name": "a\0b"}, "a batch name"),
        ({"overlap": Decimal("1.01")}, "from 0 to 1, not 1.01"),
        ({"overlap": Decimal("-0.1")}, "from 0 to 1"),
        ({"overlap": Decimal("NaN")}, "from 0 to 1"),
        ({"coders": 0}, "from 1 to 32767, not 0"),
        ({"coders": 32768}, "from 1 to 32767"),
        ({"seed": 2**63}, "64 bits"),
        ({"rows": []}, "plan is empty"),
    ],
)
def test_settings_that_cannot_be(
    project: Project, people: list[Membership], images: list[Image], fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidBatch, match=message):
        release(project, **{"rows": [(images[0].pk, people[0].pk)], **fields})
    assert (Batch.objects.count(), Event.objects.count()) == (0, 0)


def test_an_unknown_protocol(project: Project, people: list[Membership], images: list[Image]) -> None:
    with pytest.raises(UnknownProtocol):
        release(project, [(images[0].pk, people[0].pk)], protocol="guesses")


def test_rows_stay_inside_the_project(
    project: Project, people: list[Membership], images: list[Image]
) -> None:
    other = make_project("other")
    strange_image, stranger = make_image(other), make_member(other)
    gone = make_member(project, is_active=False)
    good = (images[0].pk, people[0].pk)
    for row, message in (
        ((strange_image.pk, people[0].pk), f"Image {strange_image.pk} is not in project"),
        ((images[0].pk, stranger.pk), f"Membership {stranger.pk} is not active in project"),
        ((images[0].pk, gone.pk), f"Membership {gone.pk} is not active in project"),
        (good, f"Image {images[0].pk} is assigned to membership {people[0].pk} 2 times"),
    ):
        with pytest.raises(InvalidBatch, match=message):
            release(project, [good, row])
    assert (Batch.objects.count(), Assignment.objects.count()) == (0, 0)


def test_a_name_is_taken_once(project: Project, people: list[Membership], images: list[Image]) -> None:
    rows = [(images[0].pk, people[0].pk)]
    release(project, rows)
    with pytest.raises(InvalidBatch, match="already has a batch named 'first'"):
        release(project, rows)
    assert (Batch.objects.count(), Assignment.objects.count(), Event.objects.count()) == (1, 1, 1)


@pytest.mark.django_db(transaction=True)
def test_eight_releases_of_one_name_are_one(
    project: Project, people: list[Membership], images: list[Image]
) -> None:
    rows = [(image.pk, person.pk) for image in images for person in people]
    outcomes = race([partial(release, project, rows)] * 8)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Batch"] + ["InvalidBatch"] * 7
    assert (Assignment.objects.count(), Event.objects.count()) == (6, 1)


def test_cost_does_not_grow_with_the_plan(
    project: Project, people: list[Membership], images: list[Image]
) -> None:
    with CaptureQueriesContext(connection) as one:
        release(project, [(images[0].pk, people[0].pk)], name="one")
    with CaptureQueriesContext(connection) as six:
        release(project, [(image.pk, person.pk) for image in images for person in people], name="six")
    assert len(one) == len(six)
