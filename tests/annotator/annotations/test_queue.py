"""What comes next, how far one is, and what it costs to show."""

from __future__ import annotations

import random

import pytest

from annotator.annotations.position import Position, position_before, with_places
from annotator.annotations.queue import first_open, next_assignment, queue_page
from annotator.models import Assignment, Membership
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def member() -> Membership:
    return make_member(make_project())


def position_of(assignment: Assignment) -> Position:
    return position_before(assignment, next(iter(first_open(assignment.annotator_id)), None))


def change(assignment: Assignment, status: str) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(status=status)


def test_lowest_batch_then_position(member: Membership) -> None:
    first, second = make_batch(member.project), make_batch(member.project)
    late = make_assignment(member, batch=second, position=1)
    two = make_assignment(member, batch=first, position=2)
    one = make_assignment(member, batch=first, position=1)
    order = []
    while (following := next_assignment(member)) is not None:
        order.append(following)
        change(following, "done")
    assert order == [one, two, late]
    assert list(queue_page(member)) == order


def test_imported_batches_are_counted_apart(member: Membership) -> None:
    imported = make_batch(member.project, prompt_seen="unknown")
    made = [make_assignment(member, batch=imported) for _ in range(3)]
    for each in made:
        change(each, "done")
    own = [make_assignment(member, batch=batch) for batch in [make_batch(member.project)] * 2]
    assert position_of(own[0]) == Position(1, 0, 2, None, own[1].pk)
    assert position_of(own[1]) == Position(2, 0, 2, own[0].pk, None)
    assert position_of(made[1]) == Position(2, 3, 3, made[0].pk, made[2].pk)
    placed = with_places(Assignment.objects.all())
    assert {row.pk: row.place for row in placed} == dict(  # type: ignore[attr-defined]
        zip([each.pk for each in [*made, *own]], [1, 2, 3, 1, 2], strict=True)
    )


def test_skipped_and_done_are_passed_over_and_reopened_comes_back(member: Membership) -> None:
    batch = make_batch(member.project)
    one, two, three = (make_assignment(member, batch=batch) for _ in range(3))
    change(one, "done")
    change(two, "skipped")
    assert next_assignment(member) == three
    change(one, "open")
    assert next_assignment(member) == one


def counted(assignment: Assignment, queue: list[Assignment]) -> Position:
    """The slow way: the whole queue in the person's order."""
    closed = [each for each in queue if each.status != Assignment.Status.OPEN]
    place = queue.index(assignment)
    before = queue[place - 1].pk if place else None
    after = queue[place + 1].pk if place + 1 < len(queue) else None
    return Position(place=place + 1, done=len(closed), total=len(queue), before=before, after=after)


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
    for each in queue:
        assert position_of(each) == counted(each, queue)
    still_open = [each for each in queue if each.status == "open"]
    assert first_open(member.pk) == still_open[:2]
    assert next_assignment(member) == (still_open[0] if still_open else None)
