"""Assignments: every margin next to its share, whatever people know or hold from earlier batches."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import ceil, floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.batches.planning import (
    Design,
    Earlier,
    InvalidDesign,
    Plan,
    PlanImage,
    make_plan,
    sample,
)
from annotator.batches.planning.assigning.allocation import rounded_up
from annotator.batches.planning.randomness import Stream
from tests.annotator.batches.planning.designs import annotators, images, published
from tests.support.examples import examples

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


@settings(deadline=None, max_examples=examples(150))
@given(
    st.integers(2, 30).flatmap(
        lambda denominator: st.tuples(
            st.just(denominator),
            st.dictionaries(
                st.tuples(st.integers(0, 6), st.integers(0, 6)),
                st.integers(0, denominator - 1),
                min_size=1,
                max_size=30,
            ),
        )
    ),
    st.integers(0, 5),
)
def test_no_entry_and_no_margin_is_off_by_one(
    table: tuple[int, dict[tuple[int, int], int]], seed: int
) -> None:
    denominator, entries = table
    rows, columns = [row for row, _ in entries], [column for _, column in entries]
    numerators = list(entries.values())
    ups = rounded_up(rows, columns, numerators, denominator, Stream(seed))
    groups = [("all", [0] * len(ups)), ("row", rows), ("column", columns), ("entry", list(range(len(ups))))]
    for name, group in groups:
        for one in set(group):
            inside = [index for index, value in enumerate(group) if value == one]
            exact = Fraction(sum(numerators[index] for index in inside), denominator)
            assert abs(sum(ups[index] for index in inside) - exact) < 1, name


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


def test_exchanges_within_generator_and_prompt_change_no_margin() -> None:
    design = Design(images(3, 6, 8), annotators(5), Fraction(0), 2, 4)
    free = make_plan(design)
    strata = {image.key: (image.generator, image.prompt) for image in design.images}
    one_each = {strata[key]: (key, code) for key, code in given_images(free)}
    apart = make_plan(replace(design, barred=frozenset(one_each.values())))
    assert not given_images(apart).intersection(one_each.values())
    assert apart.balance.margins == free.balance.margins


def test_an_image_that_everybody_has_is_refused() -> None:
    design = Design(images(2, 2, 2), annotators(2), Fraction(0), 2, 1)
    held = frozenset((design.images[0].key, code) for code in "AB")
    with pytest.raises(InvalidDesign, match="1 of the 8 images cannot be given to anybody"):
        make_plan(replace(design, barred=held))


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
