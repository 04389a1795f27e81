"""Which images a session gets: by chance, furthest apart, like the first round."""

from __future__ import annotations

from collections import Counter

import pytest

from annotator.annotations.summaries import summarise
from annotator.models import Image
from annotator.norming import picking
from tests.analysis.factories import make_submitted
from tests.annotator.norming.making import Circle, make_circle
from tests.factories import make_assignment, make_batch

pytestmark = pytest.mark.django_db


@pytest.fixture
def circle(db: None) -> Circle:
    return make_circle(images=12)


def judged(circle: Circle, image: Image, *terms: str) -> None:
    """Have ada, bob and cyd submit one mark each."""
    batch = make_batch(circle.project)
    for person, term in zip((circle.ada, circle.bob, circle.cyd), terms, strict=False):
        row = make_assignment(person, image=image, batch=batch, status="done")
        made = make_submitted(person, [("missing.limbs", term)], assignment=row)
        assert made.pk
    summarise(circle.project.pk, [image.pk], "anatomy")


def test_what_a_participant_can_still_judge_is_left_out(circle: Circle) -> None:
    batch, closed = make_batch(circle.project), make_batch(circle.project, status="closed")
    make_assignment(circle.ada, image=circle.images[0], batch=batch)
    make_assignment(circle.ada, image=circle.images[1], batch=batch, status="skipped")
    make_assignment(circle.ada, image=circle.images[2], batch=closed, status="skipped")
    make_assignment(circle.ada, image=circle.images[3], batch=batch, status="done")
    make_assignment(circle.cyd, image=circle.images[4], batch=batch, status="skipped")
    pool = picking.pool_of(circle.project, "anatomy", [circle.ada, circle.bob])
    assert set(pool) == set(circle.images[2:])


def test_those_furthest_apart_come_first(circle: Circle) -> None:
    for place, terms in enumerate([("1/4a", "1/4a"), ("1/4a", "4/4c"), ("1/4c", "2/4c"), ("1/4b",)]):
        judged(circle, circle.images[place], *terms)
    pool = picking.pool_of(circle.project, "anatomy", [circle.ada, circle.bob])
    found = picking.furthest_apart(pool, circle.project, "anatomy", 12)
    # Spreads: 0, 0.95, 0.25; one annotator alone has none.
    assert found.images == [circle.images[place].pk for place in (1, 2, 0)]
    assert picking.furthest_apart(pool, circle.project, "anatomy", 2).images == found.images[:2]
    offered = list(picking.with_spread(pool, "anatomy"))
    assert [image.pk for image in offered[:3]] == found.images
    assert [image.spread for image in offered[:3]] == pytest.approx([0.95, 0.25, 0.0])  # type: ignore[attr-defined]
    assert len(offered) == 12


def test_a_random_sample_follows_from_its_seed(circle: Circle) -> None:
    pool = picking.pool_of(circle.project, "anatomy", [circle.ada])
    one, same, other = (picking.at_random(pool, 5, seed).images for seed in (1, 1, 2))
    assert one == same != other
    assert len(set(one)) == 5


def test_a_second_round_has_the_strata_of_the_first(circle: Circle) -> None:
    first = circle.revealed(5)
    wanted = Counter(first.images.values_list("image__generator", flat=True))
    pool = picking.pool_of(circle.project, "anatomy", [circle.ada, circle.bob])
    found = picking.like_the_first(pool, first, seed=3)
    assert Counter(Image.objects.filter(pk__in=found.images).values_list("generator", flat=True)) == wanted
    assert found.alike == 5
    assert not set(found.images) & set(first.images.values_list("image", flat=True))
