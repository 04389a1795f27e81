"""What was said of each image of a batch, and how many are ready."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pytest_django import DjangoAssertNumQueries

from annotator.batches.second_stage.annotations import Ready, judged_of, ready_of, spread_of
from annotator.models import Annotation, Assignment, Batch
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE
from tests.annotator.batches.second_stage.making import answered, held, images_of, make_first
from tests.protocols.stars.rules import STARS

pytestmark = pytest.mark.django_db


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
    assert ready_of(first) == Ready(18, 18, closed=True)


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
    assert ready_of(first) == Ready(18, 18, closed=True)
    Batch.objects.filter(pk=first.pk).update(status="open")
    assert ready_of(Batch.objects.get(pk=first.pk)) == Ready(16, 18, closed=False)


def test_practice_is_nothing_that_was_said(first: Batch) -> None:
    Assignment.objects.filter(batch=first, image=images_of(first)[0]).update(purpose="training")
    assert len(facts(first)) == 17
    assert ready_of(first) == Ready(17, 17, closed=True)


def test_the_queries_do_not_grow(first: Batch, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    everything = images_of(first)
    Annotation.objects.exclude(assignment__image=everything[0]).delete()
    Assignment.objects.exclude(image=everything[0]).delete()
    for more in (0, 2):
        for image in everything[1 : 1 + more]:
            answered(first, image, first.project.memberships.get(code="A"), ["extra.face"])
        with django_assert_num_queries(2):
            assert len(list(judged_of(first))) == 1 + more


class TestSpread:
    """How far answers are apart, by what their protocol measures."""

    def test_components_not_rated_alike_are_counted(self) -> None:
        answers = [
            [
                ["cells_marked", "", "2/1"],
                ["presence", "extra.limbs", "1/1"],
                ["presence", "extra.face", "1/1"],
            ],
            [["cells_marked", "", "1/1"], ["presence", "extra.limbs", "1/1"]],
            [["cells_marked", "", "1/1"], ["presence", "missing.feet", "1/1"]],
        ]
        assert spread_of(PRESENCE, answers) == 3
        assert spread_of(PRESENCE, answers[:1]) == 0
        assert spread_of(PRESENCE, []) == 0

    def test_another_fraction_of_a_component_is_not_alike(self) -> None:
        component = ["error_fraction", "missing.limbs.c"]
        answers = [[["cumulative_score", "", "1/4"], [*component, value]] for value in ("1/4", "1/2")]
        assert spread_of(ANATOMY, answers) == 1
        assert spread_of(ANATOMY, [answers[0], answers[0]]) == 0

    def test_without_components_it_is_largest_less_smallest(self) -> None:
        answers = [[[STARS.headline.name, "", f"{value}/1"]] for value in (3, 5, 2)]
        assert spread_of(STARS, answers) == 3
