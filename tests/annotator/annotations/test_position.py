"""Where an assignment stands, held against plain counting."""

from __future__ import annotations

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.annotations.position import Position, position_of
from annotator.annotations.queue import first_open, neighbour_keys, next_assignment
from annotator.models import Assignment, Membership
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


def counted(assignment: Assignment, queue: list[Assignment]) -> Position:
    """The slow way: the whole queue in the person's order."""
    closed = [each for each in queue if each.status != Assignment.Status.OPEN]
    return Position(place=queue.index(assignment) + 1, done=len(closed), total=len(queue))


def in_order(member: Membership) -> list[Assignment]:
    return list(Assignment.objects.filter(annotator=member).order_by("batch_id", "position"))


def fill(member: Membership, lengths: list[int]) -> None:
    """Batches of the given lengths; the images are shared, nobody is asked twice in a batch."""
    images = [make_image(member.project) for _ in range(max(lengths))]
    for length in lengths:
        batch = make_batch(member.project)
        for image in images[:length]:
            make_assignment(member, batch=batch, image=image)


@pytest.mark.parametrize("seed", range(12))
def test_places_progress_and_neighbours_agree_with_counting(seed: int) -> None:
    chance = random.Random(seed)
    project = make_project()
    member, other = make_member(project), make_member(project)
    fill(member, [chance.randint(0, 5) for _ in range(3)] + [1])
    fill(other, [3])
    elsewhere = make_member(make_project(), user=member.user, code="elsewhere")
    fill(elsewhere, [2])
    # Sometimes everything is open, sometimes everything is closed.
    share = chance.choice([0, 0.3, 0.7, 1])
    for each in Assignment.objects.all():
        if chance.random() < share:
            each.status = chance.choice(["done", "skipped"])
            each.save()
    queue = in_order(member)
    for index, each in enumerate(queue):
        assert position_of(each) == counted(each, queue)
        before = queue[index - 1] if index else None
        after = queue[index + 1] if index + 1 < len(queue) else None
        assert neighbour_keys(each) == (before and before.pk, after and after.pk)
    still_open = [each for each in queue if each.status == "open"]
    assert [place.pk for place in first_open(member.pk, 2)] == [each.pk for each in still_open[:2]]
    assert next_assignment(member) == (still_open[0] if still_open else None)


def test_each_takes_a_fixed_number_of_queries() -> None:
    member = make_member(make_project())
    fill(member, [2, 3])
    middle = Assignment.objects.select_related("batch", "annotator").get(pk=in_order(member)[2].pk)
    costs = []
    for ask in (position_of, neighbour_keys):
        with CaptureQueriesContext(connection) as queries:
            ask(middle)
        costs.append(len(queries))
    assert costs == [2, 1]
