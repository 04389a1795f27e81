"""Assignments: every margin next to its share, and images for people who do not have them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.batches.planning import (
    Design,
    InvalidDesign,
    Plan,
    PlanImage,
    make_plan,
    sample,
)
from annotator.batches.planning.assigning.allocation import rounded_up
from annotator.batches.planning.randomness import Stream
from tests.annotator.batches.planning.designs import annotators, images
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


def test_nothing_of_nothing() -> None:
    assert sample([], 0, Stream(1, "sample")) == []


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
