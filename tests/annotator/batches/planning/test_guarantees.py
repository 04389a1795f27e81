"""Random designs: every guarantee holds, or the table says so and why; the published plan and orders too."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from hashlib import sha256
from itertools import combinations, groupby
from statistics import correlation

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from annotator.batches.planning import Design, InvalidDesign, Plan, PlanAnnotator, PlanImage, make_plan
from annotator.batches.planning.ordering import ordered
from annotator.batches.planning.randomness import Stream
from tests.annotator.batches.planning.designs import annotators, code, images, published
from tests.support.examples import examples

DEALT = ("annotator", "annotator × generator", "annotator × prompt")
SPREAD = ("overlap × generator", "overlap × prompt", "overlap × generator × prompt")


@st.composite
def designs(draw: st.DrawFn, capacities: bool = False, most_per_image: int = 4) -> Design:
    cells = draw(
        st.dictionaries(
            st.tuples(st.integers(0, 3), st.integers(0, 5)), st.integers(1, 6), min_size=1, max_size=14
        )
    )
    listed = [
        PlanImage(sha256(f"{cell}{number}".encode()).hexdigest(), f"g{cell[0]}", f"p{cell[1]}")
        for cell, count in cells.items()
        for number in range(count)
    ]
    people = draw(st.integers(2, 7))
    limit = st.none() | st.integers(0, len(listed)) if capacities else st.none()
    staff = tuple(PlanAnnotator(code(index), draw(limit)) for index in range(people))
    overlap = draw(st.integers(0, len(listed)) | st.fractions(0, 1, max_denominator=20))
    per_image = draw(st.integers(2, min(people, most_per_image)))
    return Design(tuple(listed), staff, overlap, per_image, draw(st.integers(0, 1000)))


def check_counts(plan: Plan) -> dict[str, list[str]]:
    """Count what every plan owes, from the placements alone; return image -> annotators."""
    annotators_of: dict[str, list[str]] = {}
    for one in plan.placements:
        annotators_of.setdefault(one.image, []).append(one.annotator)
    assert annotators_of.keys() == {image.key for image in plan.design.images}
    assert all(len(set(people)) == len(people) for people in annotators_of.values())
    shared = {key for key, people in annotators_of.items() if len(people) > 1}
    assert Counter(map(len, annotators_of.values()))[plan.design.per_image] == plan.design.overlap_count
    assert {one.image for one in plan.placements if one.overlap} == shared
    for person in plan.design.annotators:
        places = [one.position for one in plan.placements if one.annotator == person.code]
        assert places == list(range(1, len(places) + 1))
        assert person.capacity is None or len(places) <= person.capacity
    return annotators_of


def check_table(plan: Plan, annotators_of: dict[str, list[str]]) -> None:
    """Hold the table against counts made another way."""
    people = [one.code for one in plan.design.annotators]
    found = {margin.name: margin for margin in plan.balance.margins}
    pairs = Counter(pair for named in annotators_of.values() for pair in combinations(sorted(named), 2))
    met = [pairs[pair] for pair in combinations(sorted(people), 2)]
    assert (found["pair"].smallest, found["pair"].largest) == (min(met), max(met))
    totals = [sum(one in named for named in annotators_of.values()) for one in people]
    assert (found["annotator"].smallest, found["annotator"].largest) == (min(totals), max(totals))
    for margin in plan.balance.margins:
        assert margin.within == (margin.off <= 1 if "annotator ×" in margin.name else margin.off < 1)


@settings(deadline=None, max_examples=examples(85))
@given(designs())
def test_what_is_dealt_is_even(design: Design) -> None:
    plan = make_plan(design)
    check_table(plan, check_counts(plan))
    for margin in plan.balance.margins:
        if margin.name in DEALT + SPREAD:
            assert margin.off < 1, margin


@settings(deadline=None, max_examples=examples(25))
@given(designs(capacities=True, most_per_image=3))
def test_capacities_are_never_exceeded(design: Design) -> None:
    try:
        plan = make_plan(design)
    except InvalidDesign:
        assume(False)
    check_table(plan, check_counts(plan))
    assert all(margin.off < 1 for margin in plan.balance.margins if margin.name in (*SPREAD, "annotator"))


@pytest.mark.parametrize(
    ("shape", "raters", "per_image", "margins"),
    [
        # A realism batch: everybody has 150 images, 50 of each generator.
        ((3, 10, 8), 8, 5, {"annotator": (150, 150), "annotator × generator": (50, 50), "pair": (85, 86)}),
        # The plane of seven points.
        ((1, 1, 7), 7, 3, {"pair": (1, 1)}),
    ],
)
def test_worked_numbers(
    shape: tuple[int, int, int], raters: int, per_image: int, margins: dict[str, tuple[int, int]]
) -> None:
    plan = make_plan(Design(images(*shape), annotators(raters), Fraction(1), per_image))
    found = {margin.name: (margin.smallest, margin.largest) for margin in plan.balance.margins}
    assert found.items() >= margins.items()


def test_the_order_of_images_changes_nothing() -> None:
    design = Design(images(2, 3, 2), annotators(3), Fraction(1, 2))
    turned = Design(design.images[::-1], design.annotators, Fraction(1, 2))
    assert make_plan(turned).digest() == make_plan(design).digest()


@pytest.mark.parametrize("seed", range(12))
def test_every_margin_is_exact(seed: int) -> None:
    plan = make_plan(published(seed))
    found = {margin.name: (margin.smallest, margin.largest, margin.even) for margin in plan.balance.margins}
    assert found == {
        "annotator": (75, 75, 75),
        "annotator × generator": (25, 25, 25),
        "annotator × prompt": (7, 8, Fraction(15, 2)),
        "pair": (10, 10, 10),
        "pair × generator": (3, 4, Fraction(10, 3)),
        "overlap × generator": (20, 20, 20),
        "overlap × prompt": (6, 6, 6),
        "overlap × generator × prompt": (2, 2, 2),
    }
    assert all(margin.within for margin in plan.balance.margins)


@settings(deadline=None, max_examples=examples(200))
@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.integers(0, 9))
def test_the_longest_run_is_as_short_as_it_can_be(prompts: list[int], seed: int) -> None:
    order = ordered(list(range(len(prompts))), prompts.__getitem__, Stream(seed))
    assert sorted(order) == list(range(len(prompts)))
    most = Counter(prompts).most_common(1)[0][1]
    others = len(prompts) - most
    longest = max(len(list(run)) for _, run in groupby(prompts[image] for image in order))
    assert longest <= max(1, -(-most // (others + 1)))


def ranks(plan: Plan) -> list[tuple[float, float]]:
    """Positions of each overlap image in its two queues, from 0 to 1; the annotators in random order."""
    last = {row.annotator: row.total for row in plan.balance.workload}
    places: dict[str, list[float]] = {}
    for one in plan.placements:
        if one.overlap:
            places.setdefault(one.image, []).append(one.position / last[one.annotator])
    return [(first, second) for first, second in places.values()]


def test_annotators_meet_an_overlap_image_at_unrelated_positions() -> None:
    points = [point for seed in range(30) for point in ranks(make_plan(published(seed)))]
    # 1,800 independent pairs have a standard error of 0.024.
    assert len(points) == 1800
    assert abs(correlation(*zip(*points, strict=True))) < 0.08
