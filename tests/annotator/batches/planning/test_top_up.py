"""More images later: what people hold from earlier batches counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from annotator.batches.planning import Design, Earlier, Plan, PlanImage, make_plan
from tests.annotator.batches.planning.designs import annotators, images, published


def earlier_of(plan: Plan) -> Earlier:
    """The counts of a stored plan."""
    stratum = {image.key: (image.generator, image.prompt) for image in plan.design.images}
    annotators_of: dict[str, list[str]] = {}
    for one in plan.placements:
        annotators_of.setdefault(one.image, []).append(one.annotator)
    pairs = [(pair, key) for key, people in annotators_of.items() for pair in combinations(sorted(people), 2)]
    return Earlier(
        Counter((one.annotator, stratum[one.image][0]) for one in plan.placements),
        Counter((one.annotator, stratum[one.image][1]) for one in plan.placements),
        Counter(pair for pair, _ in pairs),
        Counter((*pair, stratum[key][0]) for pair, key in pairs),
    )


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


def test_whoever_held_less_catches_up() -> None:
    earlier = Earlier({("A", "g0"): 10, ("B", "g0"): 10, ("C", "g0"): 4}, {}, {}, {})
    plan = make_plan(Design(images(1, 3, 3), annotators(3), 0, earlier=earlier))
    assert [row.total for row in plan.balance.workload] == [1, 1, 7]
    assert (plan.balance.margins[0].smallest, plan.balance.margins[0].largest) == (11, 11)


def test_pairs_that_met_less_meet_now() -> None:
    pairs = {("A", "B"): 3, ("A", "C"): 3, ("B", "C"): 1}
    earlier = Earlier(
        {(one, "g0"): 9 for one in "ABC"},
        {},
        pairs,
        {(*pair, "g0"): count for pair, count in pairs.items()},
    )
    plan = make_plan(Design(images(1, 1, 12), annotators(3), 5, earlier=earlier))
    found = {margin.name: (margin.smallest, margin.largest) for margin in plan.balance.margins}
    assert found["pair"] == (4, 4)


def test_what_cannot_be_evened_out_is_said() -> None:
    held = {("A", "g0"): 60, ("B", "g1"): 60}
    plan = make_plan(Design(images(2, 4, 2), annotators(2), 0, earlier=Earlier(held, {}, {}, {})))
    margin = next(one for one in plan.balance.margins if one.name == "annotator × generator")
    assert not margin.within
    assert "earlier batches" in margin.note


def test_people_and_strata_of_other_batches_do_not_disturb() -> None:
    design = Design(images(2, 3, 2), annotators(3), Fraction(1, 2))
    elsewhere = Earlier(
        {("Z", "g0"): 9}, {("Z", "p0"): 9, ("A", "px"): 0}, {("A", "Z"): 5}, {("A", "Z", "g0"): 5}
    )
    plain = make_plan(design)
    assert make_plan(replace(design, earlier=elsewhere)).placements == plain.placements
