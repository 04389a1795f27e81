"""Anchors and repeats among the work: where they come, and how many fit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from annotator.batches.planning import (
    Checks,
    Design,
    Placement,
    Plan,
    PlanImage,
    Stream,
    make_plan,
)
from annotator.batches.planning.interleaving import GAP, anchors_for, interleaved
from tests.annotator.batches.planning.designs import annotators, images, published

ANCHORS = tuple(PlanImage(f"{number:064}", f"g{number % 3}", f"p{number}") for number in range(6))
CHECKS = Checks(ANCHORS, Fraction(1, 20))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(replace(published(7), checks=CHECKS))


def queues(plan: Plan) -> dict[str, list[Placement]]:
    found: dict[str, list[Placement]] = {one.code: [] for one in plan.design.annotators}
    for one in plan.placements:
        found[one.annotator].append(one)
    return found


def test_the_work_and_its_order_stay_as_without(plan: Plan) -> None:
    without = make_plan(published(7))
    work = [one for one in plan.placements if one.purpose == "work"]
    assert [(one.image, one.annotator, one.overlap) for one in work] == [
        (one.image, one.annotator, one.overlap) for one in without.placements
    ]
    assert plan.balance.margins == without.balance.margins
    assert plan.digest() != without.digest()


def test_everybody_has_all_anchors_and_a_share_of_repeats(plan: Plan) -> None:
    for code, queue in queues(plan).items():
        assert [one.position for one in queue] == list(range(1, len(queue) + 1))
        purposes = Counter(one.purpose for one in queue)
        assert purposes == {"work": 75, "anchor": 6, "repeat": 3}
        assert {one.image for one in queue if one.purpose == "anchor"} == {one.key for one in ANCHORS}
        row = next(row for row in plan.balance.workload if row.annotator == code)
        assert (row.total, row.anchors, row.repeats) == (75, 6, 3)


def test_each_stretch_of_a_queue_has_an_anchor(plan: Plan) -> None:
    orders = set()
    for queue in queues(plan).values():
        work = 0
        places = []
        for one in queue:
            work += one.purpose == "work"
            if one.purpose == "anchor":
                places.append(work)
        # 76 places in six equal stretches.
        starts = [number * 76 // 6 for number in range(7)]
        assert all(low <= place < high for low, place, high in zip(starts, places, starts[1:], strict=False))
        assert len(places) == 6
        orders.add(tuple(one.image for one in queue if one.purpose == "anchor"))
    assert len(orders) == 4


def test_a_repeat_comes_half_a_queue_after_the_annotators_own_image(plan: Plan) -> None:
    for queue in queues(plan).values():
        first = {one.image: one.position for one in queue if one.purpose == "work"}
        again = [one for one in queue if one.purpose == "repeat"]
        assert len({one.image for one in again}) == len(again) == 3
        assert all(one.position - first[one.image] >= (75 + 6) // 2 for one in again)
        assert not any(one.overlap for one in again)


@pytest.mark.parametrize(
    ("images", "fitting"), [(8, 0), (29, 0), (30, 1), (33, 4), (40, 11), (60, 31), (100, 71)]
)
def test_only_repeats_at_the_least_gap_fit(images: int, fitting: int) -> None:
    queue = interleaved(range(images), [], images, lambda image: image % 5, Stream(1, "x"))
    places = [(at, image) for at, (image, purpose) in enumerate(queue) if purpose == "repeat"]
    assert len(places) == fitting
    first = {image: at for at, (image, purpose) in reversed(list(enumerate(queue))) if purpose == "work"}
    assert all(at - first[image] >= GAP for at, image in places)


def test_whoever_has_fewer_images_has_fewer_anchors() -> None:
    assert [anchors_for(6, own, 60) for own in (0, 9, 10, 59, 60, 61)] == [0, 0, 1, 5, 6, 6]
    limited = Design(images(3, 10, 8), annotators(4, 10), Fraction(1, 4), 2, 7, checks=CHECKS)
    rows = {row.annotator: row for row in make_plan(limited).balance.workload}
    assert [rows["A"].total, rows["A"].anchors, rows["B"].anchors] == [10, 0, 6]
