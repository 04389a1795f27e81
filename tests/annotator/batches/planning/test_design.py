"""Input that allows no plan: every message names its field; and plans for people not yet known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import ceil, floor

import pytest

from annotator.batches.planning import (
    ChangeDesign,
    Design,
    Held,
    InvalidDesign,
    PlanAnnotator,
    make_plan,
    propose_change,
)
from annotator.batches.planning.arms import arms
from annotator.batches.planning.margins import met
from tests.annotator.batches.planning.designs import annotators, images, published


def refused(design: Design) -> dict[str, list[str]]:
    with pytest.raises(InvalidDesign) as caught:
        make_plan(design)
    return caught.value.errors


def test_overlap_above_everything() -> None:
    assert refused(replace(published(), overlap=Fraction(11, 10))) == {
        "overlap": ["The overlap must be from 0% to 100%."]
    }
    assert refused(replace(published(), overlap=241)) == {
        "overlap": ["The overlap must be from 0 to all 240 images, not 241."]
    }


def test_nobody_and_nothing() -> None:
    assert refused(Design((), (), 0)) == {
        "images": ["There are no images to assign."],
        "annotators": ["There are no annotators."],
    }


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


def test_a_change_to_more_annotators_than_a_batch_may_have() -> None:
    plan = make_plan(replace(published(), overlap=0))
    held = tuple(Held(one.image, one.annotator, one.position, "open") for one in plan.placements)
    many = tuple(PlanAnnotator(f"p{number:03}") for number in range(501))
    owed = {image.key: 1 for image in plan.design.images}
    with pytest.raises(InvalidDesign) as caught:
        propose_change(ChangeDesign(plan.design.images, many, frozenset(), held, owed))
    assert caught.value.errors == TOO_MANY


def test_capacities_that_do_not_suffice() -> None:
    few = replace(published(), annotators=annotators(4, 70, 70, 70, 70))
    assert refused(few) == {
        "annotators": ["The plan needs 300 annotations, the image limits allow 280: 20 missing."]
    }


def test_capacities_count_at_most_once_per_image() -> None:
    lopsided = Design(images(1, 1, 10), annotators(2, 100, 9), Fraction(1))
    assert refused(lopsided) == {
        "annotators": ["The plan needs 20 annotations, the image limits allow 19: 1 missing."]
    }
    three = Design(images(1, 1, 10), annotators(3, 10, 2, 2), 5, per_image=2)
    assert refused(three) == {
        "annotators": ["The plan needs 15 annotations, the image limits allow 14: 1 missing."]
    }
    shared = Design(images(1, 1, 20), annotators(3, 20, 2, 2), 5, per_image=2)
    assert refused(shared) == {
        "annotators": ["The plan needs 25 annotations, the image limits allow 24: 1 missing."]
    }


def test_different_annotators_for_the_overlap() -> None:
    design = Design(images(1, 1, 20), annotators(4, 20, 20, 1, 1), 10, per_image=3)
    assert refused(design) == {
        "annotators": [
            "The 10 overlap images need 30 annotations by 3 different annotators each, "
            "the image limits allow 22: 8 missing."
        ]
    }


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 3), Fraction(99, 100)])
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


def test_the_whole_share_is_everybody_and_none_is_nobody() -> None:
    cells = [("p", "g"), ("q", "g"), ("q", "h")]
    assert arms(cells, Fraction(1), 3) == [True] * 3
    assert arms(cells, Fraction(0), 3) == [False] * 3
    assert arms([], Fraction(1, 2), 3) == []


PEOPLE = 6


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ({}, {}),
        ({(0, 1): 2}, {}),
        ({(0, 1): 2, (2, 4): 0}, {(0, 1): 1, (3, 5): 4}),
        (dict.fromkeys(combinations(range(PEOPLE), 2), 1), {(0, 5): 1}),
    ],
)
def test_pairs_are_counted_as_if_all_were_listed(
    earlier: dict[tuple[int, int], int], now: dict[tuple[int, int], int]
) -> None:
    pairs = list(combinations(range(PEOPLE), 2))
    listed = Counter(earlier.get(pair, 0) + now.get(pair, 0) for pair in pairs)
    assert met(earlier, now, len(pairs)) == listed
