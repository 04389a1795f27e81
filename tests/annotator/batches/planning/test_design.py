"""Input that allows no plan, with its field; the same plan everywhere; and what is stored of a plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

import pytest

from annotator.batches.planning import (
    ALGORITHM,
    Design,
    InvalidDesign,
    Plan,
    PlanAnnotator,
    make_plan,
    read_document,
)
from annotator.batches.planning.arms import arms
from tests.annotator.batches.planning.designs import annotators, images, published


def refused(design: Design) -> dict[str, list[str]]:
    with pytest.raises(InvalidDesign) as caught:
        make_plan(design)
    return caught.value.errors


TOO_MANY = {
    "annotators": [
        "A batch can have at most 500 annotators, not 501. Plan several batches, each with its own "
        "annotators and images."
    ]
}


def test_more_annotators_than_a_batch_may_have() -> None:
    many = tuple(PlanAnnotator(f"p{number:03}") for number in range(501))
    assert refused(replace(published(), annotators=many)) == TOO_MANY
    assert len(make_plan(replace(published(), annotators=many[1:])).balance.workload) == 500


NEEDED = "The plan needs {} annotations, the image limits allow {}: {} missing."


@pytest.mark.parametrize(
    ("design", "message"),
    [
        (replace(published(), annotators=annotators(4, 70, 70, 70, 70)), NEEDED.format(300, 280, 20)),
        # A limit counts at most once per image.
        (Design(images(1, 1, 10), annotators(2, 100, 9), Fraction(1)), NEEDED.format(20, 19, 1)),
        (Design(images(1, 1, 10), annotators(3, 10, 2, 2), 5, per_image=2), NEEDED.format(15, 14, 1)),
        (Design(images(1, 1, 20), annotators(3, 20, 2, 2), 5, per_image=2), NEEDED.format(25, 24, 1)),
        (
            Design(images(1, 1, 20), annotators(4, 20, 20, 1, 1), 10, per_image=3),
            "The 10 overlap images need 30 annotations by 3 different annotators each, the image limits "
            "allow 22: 8 missing.",
        ),
    ],
)
def test_limits_that_do_not_suffice(design: Design, message: str) -> None:
    assert refused(design) == {"annotators": [message]}


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 3), Fraction(99, 100), Fraction(1)])
@pytest.mark.parametrize("seed", range(5))
def test_every_count_is_the_share_rounded_down_or_up(share: Fraction, seed: int) -> None:
    cells = [(f"p{i % 3}", f"g{(i * i) % 5}") for i in range(137)]
    drawn = arms(cells, share, seed)
    assert drawn == arms(cells, share, seed)
    seen = Counter(cell for cell, one in zip(cells, drawn, strict=True) if one)
    for cell, number in Counter(cells).items():
        assert floor(number * share) <= seen[cell] <= ceil(number * share)
    for person, number in Counter(person for person, _ in cells).items():
        own = sum(count for (who, _), count in seen.items() if who == person)
        assert floor(number * share) <= own <= ceil(number * share)


def test_each_assignment_is_equally_likely_to_be_in_an_arm() -> None:
    cells = [("p", "g"), ("p", "g"), ("p", "h")]
    found = [
        sum(column)
        for column in zip(*(arms(cells, Fraction(1, 2), seed) for seed in range(2000)), strict=True)
    ]
    assert all(abs(count - 1000) < 110 for count in found), found  # 5 standard errors


GOLDEN = {
    "published": "a0ba1c29f1e25964039a1dd6f06dc07c29c672396ddcb7100285a06ad7bc8fbf",
    "crossed": "2705bcc3270c2676359ceb5db024bbf454da4093a72db1b6d7165ce7e47e4c2f",
    "capacities": "0c57d8b7fd47d3d2d0419542d68e98406af29e3f311a6c5e930cc7206f49e39c",
}


def golden(name: str) -> Design:
    """The design of a fixed digest."""
    return {
        "published": published(7),
        "crossed": Design(images(2, 7, 3), annotators(6), Fraction(1), per_image=3, seed=-4),
        "capacities": Design(images(4, 5, 2), annotators(5, 3, 9), 13, per_image=2, seed=2**40),
    }[name]


@pytest.mark.parametrize("name", GOLDEN)
def test_a_change_of_the_algorithm_or_of_python_would_show(name: str) -> None:
    assert make_plan(golden(name)).digest() == GOLDEN[name]
    assert ALGORITHM == "anatomark-plan/1"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(Design(images(2, 4, 3), annotators(4), Fraction(1, 4), seed=5))


def test_a_plan_is_read_back(plan: Plan) -> None:
    design, per_image = read_document(plan.document())
    assert set(design.images) == set(plan.design.images)
    assert replace(design, images=plan.design.images) == plan.design
    assert per_image == Counter(one.image for one in plan.placements)
    assert make_plan(design).placements == plan.placements


def test_a_moved_placement_is_another_plan(plan: Plan) -> None:
    first, second, *rest = plan.placements
    moved = (replace(first, image=second.image), replace(second, image=first.image), *rest)
    assert replace(plan, placements=moved).digest() != plan.digest()
