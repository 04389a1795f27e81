"""Drawing for a second stage: even, seeded, and every image that is left out counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from annotator.batches.planning import PlanImage, Stream
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.batches.second_stage.annotations import judged_of, ready_of
from annotator.batches.second_stage.drawing import Draw, Drawing, draw_images, weighted
from annotator.models import Annotation, Assignment, Batch, Screening
from tests.annotator.batches.first_stages import held, images_of, make_first
from tests.factories import make_batch

pytestmark = pytest.mark.django_db


def drawn(batch: Batch, seed: int = 7, **how: Any) -> Drawing:
    return draw_images(batch.project, Draw(batch.pk, **how), "anatomy", seed)


def per(images: Sequence[PlanImage], *fields: str) -> list[int]:
    """How many images there are of each value, least first."""
    return sorted(Counter(tuple(getattr(image, field) for field in fields) for image in images).values())


def adds_up(found: Drawing) -> bool:
    return len(found.images) + sum(found.left_out.values()) == len(found.there)


@pytest.mark.databases
def test_unmarked_ones_are_left_out_but_for_a_control() -> None:
    first = make_first(cells=lambda image, _: () if image % 3 == 0 else ("extra.limbs",), each=5)
    found = drawn(first, control=10)
    assert (len(found.images), found.control, found.left_out) == (63, 3, {"unmarked": 27})
    assert adds_up(found)
    assert drawn(first, control=10).images == found.images
    assert drawn(first, seed=8, control=10).images != found.images
    assert drawn(first, control=0).left_out == {"unmarked": 30}
    assert drawn(first, control=100).left_out == {}


@pytest.mark.parametrize(("percent", "control"), [(1, 1), (8, 1), (9, 2), (50, 9), (100, 18)])
def test_the_control_is_the_nearest_number_and_one_at_least(percent: int, control: int) -> None:
    first = make_first(cells=lambda *_: (), each=1)
    assert drawn(first, control=percent).control == control


def test_filtered_ones_are_left_out_and_those_taken_back_are_not() -> None:
    first = make_first(each=1)
    out, back, *_ = images_of(first)
    Screening.objects.create(image=out, reasons="persons")
    Screening.objects.create(image=back, reasons="persons", kept=True)
    found = drawn(first)
    assert out.sha256 not in {image.key for image in found.images}
    assert (len(found.images), found.left_out) == (17, {"filtered": 1})
    assert found.reasons == [(1, "left out by the filters of the data set")]
    assert adds_up(found)
    assert ready_of(first) == {"images": 17, "total": 17, "filtered": 1}


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(5))
def test_25_of_180(seed: int) -> None:
    found = drawn(make_first(), way="sample", images=25, seed=seed)
    assert len(found.images) == 25
    assert per(found.images, "generator") == [8, 8, 9]
    assert per(found.images, "prompt") == [4, 4, 4, 4, 4, 5]
    assert set(per(found.images, "generator", "prompt")) == {1, 2}
    assert found.left_out == {"chance": 155}


def test_flagged_ones() -> None:
    first = make_first(each=1)
    some = images_of(first)[:4]
    Annotation.objects.filter(assignment__image__in=some).update(flagged=True)
    found = drawn(first, way="flagged")
    assert {image.key for image in found.images} == {image.sha256 for image in some}
    assert found.left_out == {"unflagged": 14}
    assert len(drawn(first, way="flagged", images=2).images) == 2


def test_disagreement_takes_only_those_on_which_two_differ() -> None:
    def cells(image: int, person: int) -> Sequence[str]:
        return ("extra.limbs", "extra.face")[: 1 + (image < 6 and person)]

    first = make_first(cells=cells, each=1)
    alone = images_of(first)[6]
    answered_twice = Annotation.objects.filter(assignment__image=alone)
    Assignment.objects.filter(pk=answered_twice.latest("pk").assignment_id).update(
        status="withdrawn", position=None
    )
    found = drawn(first, way="disagreement")
    assert {image.key for image in found.images} == {image.sha256 for image in images_of(first)[:6]}
    assert found.left_out == {"alone": 1, "agreed": 11}
    assert adds_up(found)


def test_the_chance_is_proportional_to_the_weight() -> None:
    """Of weights 1, 2, 3 the first draw falls on each in 1/6, 2/6, 3/6 of many seeds (± 4 SE)."""
    counts = Counter(weighted([1, 2, 3], 1, Stream(seed, "test"))[0] for seed in range(3000))
    for place, share in enumerate((1 / 6, 2 / 6, 3 / 6)):
        assert abs(counts[place] / 3000 - share) < 4 * (share * (1 - share) / 3000) ** 0.5
    assert sorted(weighted([1, 2, 3], 3, Stream(1, "test"))) == [0, 1, 2]


def test_only_finished_images_of_an_open_batch_are_drawn() -> None:
    first = make_first(each=1, status="open")
    images, person = images_of(first), first.project.memberships.get(code="E")
    for image in images[:3]:
        held(first, image, person)
    found = drawn(first)
    assert (len(found.images), found.left_out) == (15, {"unfinished": 3})
    Batch.objects.filter(pk=first.pk).update(status="closed")
    assert len(drawn(first).images) == 18


def test_nobody_gets_an_image_that_they_have_under_the_protocol() -> None:
    """A random batch under anatomy has shown every image to one person; who disagree is asked afterwards."""
    first = make_first(cells=lambda image, person: ("extra.limbs",) if (image + person) % 2 else ())
    project = first.project
    people = list(project.memberships.filter(role="annotator").order_by("code"))
    at_random = make_batch(project, name="Anatomy at random", protocol="anatomy")
    for place, image in enumerate(images_of(first)):
        held(at_random, image, people[place % len(people)], "done")
    request = BatchRequest(
        name="Disagreed",
        people=tuple(person.pk for person in people),
        overlap=Fraction(0),
        seed=3,
        protocol="anatomy",
        draw=Draw(first.pk, "disagreement", 60),
    )
    plan = requested_plan(project, request)
    had = set(Assignment.objects.filter(batch=at_random).values_list("image__sha256", "annotator__code"))
    assert len(plan.placements) == 60
    assert not had & {(one.image, one.annotator) for one in plan.placements}


@pytest.fixture
def first() -> Batch:
    """18 images; on the first A marks limbs and hands, B limbs; nobody marks anything on the second."""
    said = {(0, 0): ("extra.limbs", "extra.hands"), (0, 1): ("extra.limbs",), (1, 0): (), (1, 1): ()}
    return make_first(cells=lambda image, person: said.get((image, person), ("missing.face",)), each=1)


def facts(batch: Batch) -> dict[str, tuple[int, int, bool, bool, Fraction]]:
    names = {image.sha256: image.source_name for image in images_of(batch)}
    return {
        names[one.image.key]: (one.people, one.waiting, one.flagged, one.marked, one.spread)
        for one in judged_of(batch)
    }


@pytest.mark.databases
def test_each_image_has_its_people_marks_and_spread(first: Batch) -> None:
    images = images_of(first)
    Annotation.objects.filter(assignment__image=images[2]).update(flagged=True)
    found = facts(first)
    assert len(found) == 18
    assert found[images[0].source_name] == (2, 0, False, True, Fraction(1))
    assert found[images[1].source_name] == (2, 0, False, False, Fraction(0))
    assert found[images[2].source_name] == (2, 0, True, True, Fraction(0))
    assert ready_of(first) == {"images": 18, "total": 18, "filtered": 0}


@pytest.mark.databases
def test_what_is_not_done_with_is_waited_for_in_an_open_batch_only(first: Batch) -> None:
    images, people = images_of(first), {one.code: one for one in first.project.memberships.all()}
    held(first, images[0], people["E"])
    held(first, images[1], people["E"], "skipped")
    late = held(first, images[2], people["E"])
    Assignment.objects.filter(pk=late.pk).update(status="withdrawn", position=None)
    begun = held(first, images[3], people["B"])
    Annotation.objects.create(assignment=begun, payload={}, status="reopened", saved_at=begun.created_at)
    found = facts(first)
    assert [found[image.source_name][:2] for image in images[:4]] == [(2, 1), (2, 0), (2, 0), (2, 1)]
    assert ready_of(first) == {"images": 18, "total": 18, "filtered": 0}
    Batch.objects.filter(pk=first.pk).update(status="open")
    assert ready_of(Batch.objects.get(pk=first.pk)) == {"images": 16, "total": 18, "filtered": 0}
