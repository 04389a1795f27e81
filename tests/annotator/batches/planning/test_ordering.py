"""Nobody sees one prompt in long runs, and the coders of an image meet it at unrelated positions."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.batches.planning import Plan, make_plan
from annotator.batches.planning.ordering import ordered
from annotator.batches.planning.randomness import Stream
from tests.annotator.batches.planning.designs import published
from tests.support.examples import examples


@settings(deadline=None, max_examples=examples(200))
@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.integers(0, 9))
def test_the_longest_run_is_as_short_as_it_can_be(prompts: list[int], seed: int) -> None:
    order = ordered(list(range(len(prompts))), prompts.__getitem__, Stream(seed))
    assert sorted(order) == list(range(len(prompts)))
    most = Counter(prompts).most_common(1)[0][1]
    others = len(prompts) - most
    longest = max(len(list(run)) for _, run in groupby(prompts[image] for image in order))
    assert longest <= max(1, -(-most // (others + 1)))


def test_no_images_have_an_empty_order() -> None:
    assert ordered([], int, Stream(1)) == []


def ranks(plan: Plan) -> list[tuple[float, float]]:
    """Positions of each overlap image in its two queues, from 0 to 1; the coders in random order."""
    last = {row.annotator: row.total for row in plan.balance.workload}
    places: dict[str, list[float]] = {}
    for one in plan.placements:
        if one.overlap:
            places.setdefault(one.image, []).append(one.position / last[one.annotator])
    return [(first, second) for first, second in places.values()]


def correlation(points: list[tuple[float, float]]) -> float:
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    top = sum((x - mean_x) * (y - mean_y) for x, y in points)
    spread = sum((x - mean_x) ** 2 for x, _ in points) * sum((y - mean_y) ** 2 for _, y in points)
    return float(top / spread**0.5)


def test_coders_meet_an_overlap_image_at_unrelated_positions() -> None:
    points = [point for seed in range(30) for point in ranks(make_plan(published(seed)))]
    # 1,800 independent pairs have a standard error of 0.024.
    assert len(points) == 1800
    assert abs(correlation(points)) < 0.08


def test_overlap_images_stand_anywhere_in_a_queue() -> None:
    points = [x for seed in range(30) for pair in ranks(make_plan(published(seed))) for x in pair]
    quarters = Counter(min(3, int(4 * x)) for x in points)
    assert all(abs(quarters[quarter] - 900) < 100 for quarter in range(4))


def test_two_seeds_order_differently() -> None:
    one, other = make_plan(published(1)), make_plan(published(2))
    assert [p.image for p in one.placements] != [p.image for p in other.placements]
