"""Assignments: every margin next to its share, whatever people know or hold; anchors and repeats between."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.batches.planning import (
    Checks,
    Counts,
    Design,
    InvalidDesign,
    Placement,
    Plan,
    PlanImage,
    make_plan,
    sample,
)
from annotator.batches.planning.assigning.allocation import rounded_up
from annotator.batches.planning.counts import counted
from annotator.batches.planning.interleaving import GAP, anchors_for, interleaved
from annotator.batches.planning.randomness import Stream
from tests.annotator.batches.planning.designs import annotators, images, published

STRATA = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=60)


@given(STRATA, st.fractions(0, 1), st.integers(0, 1000))
def test_every_margin_is_next_to_its_share(strata: list[tuple[int, int]], share: Fraction, seed: int) -> None:
    images = [PlanImage(f"{place:064x}", f"g{g}", f"p{p}") for place, (g, p) in enumerate(strata)]
    count = floor(share * len(images))
    drawn = sample(images, count, Stream(seed, "sample"))
    assert len({image.key for image in drawn}) == len(drawn) == count
    rate = Fraction(count, len(images))
    for margin in (("generator",), ("prompt",), ("generator", "prompt")):
        there, taken = (
            Counter(tuple(getattr(image, name) for name in margin) for image in some)
            for some in (images, drawn)
        )
        for value, size in there.items():
            assert floor(rate * size) <= taken[value] <= ceil(rate * size)


def test_every_entry_keeps_its_expected_value() -> None:
    rows, columns, numerators = [0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 2, 1]
    often = [0, 0, 0, 0]
    for seed in range(3000):
        for index, up in enumerate(rounded_up(rows, columns, numerators, 3, Stream(seed))):
            often[index] += up
    assert [round(count / 3000, 1) for count in often] == [0.3, 0.7, 0.7, 0.3]


def given_images(plan: Plan) -> set[tuple[str, str]]:
    return {(one.image, one.annotator) for one in plan.placements}


@pytest.mark.parametrize("each", [1, 8])
@pytest.mark.parametrize("seed", range(3))
def test_images_go_to_people_who_do_not_have_them(each: int, seed: int) -> None:
    before = make_plan(Design(images(3, 6, each), annotators(5), Fraction(0), 2, seed=seed + 10))
    design = Design(images(3, 6, each), annotators(5), Fraction(1, 2), 2, seed)
    free, apart = make_plan(design), make_plan(replace(design, barred=frozenset(given_images(before))))
    assert given_images(free) & given_images(before)
    assert not given_images(apart) & given_images(before)
    for load, same in zip(free.balance.workload, apart.balance.workload, strict=True):
        assert (load.annotator, load.total) == (same.annotator, same.total)


def test_an_image_that_everybody_has_is_refused() -> None:
    design = Design(images(2, 2, 2), annotators(2), Fraction(0), 2, 1)
    held = frozenset((design.images[0].key, code) for code in "AB")
    with pytest.raises(InvalidDesign, match="1 of the 8 images cannot be given to anybody"):
        make_plan(replace(design, barred=held))


def earlier_of(plan: Plan) -> Counts:
    """The counts of a stored plan."""
    stratum = {image.key: (image.generator, image.prompt) for image in plan.design.images}
    annotators_of: dict[str, list[str]] = {}
    for one in plan.placements:
        annotators_of.setdefault(one.image, []).append(one.annotator)
    return counted((*stratum[key], people) for key, people in annotators_of.items())


def more(design: Design, count: int) -> tuple[PlanImage, ...]:
    """New images of the same strata."""
    return tuple(
        replace(image, key=f"{index:064x}") for index, image in enumerate(design.images[::3][:count])
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_top_up_keeps_the_whole_even(seed: int) -> None:
    first = make_plan(published(seed))
    design = Design(
        more(first.design, 46), first.design.annotators, Fraction(1, 4), seed=seed, earlier=earlier_of(first)
    )
    plan = make_plan(design)
    found = {margin.name: margin for margin in plan.balance.margins}
    assert found["annotator"].largest - found["annotator"].smallest <= 1
    assert found["annotator"].largest >= 89
    assert all(margin.within for margin in plan.balance.margins), found


def test_what_cannot_be_evened_out_is_said() -> None:
    held = {("A", "g0"): 60, ("B", "g1"): 60}
    plan = make_plan(Design(images(2, 4, 2), annotators(2), 0, earlier=Counts(held, {}, {}, {})))
    margin = next(one for one in plan.balance.margins if one.name == "annotator × generator")
    assert (margin.within, margin.off > 1) == (False, True)


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
