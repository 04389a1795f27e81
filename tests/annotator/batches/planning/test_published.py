"""The published design comes out exact, whatever the seed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from annotator.batches.planning import make_plan
from tests.annotator.batches.planning.designs import published


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
    assert plan.balance.within
    assert all(margin.note == "" for margin in plan.balance.margins)


def test_the_table_says_what_the_placements_are() -> None:
    plan = make_plan(published(7))
    stratum = {image.key: (image.generator, image.prompt) for image in plan.design.images}
    people: dict[str, list[str]] = {}
    for placement in plan.placements:
        people.setdefault(placement.image, []).append(placement.annotator)
    assert Counter(map(len, people.values())) == {1: 180, 2: 60}
    assert all(len(set(found)) == len(found) for found in people.values())
    pairs = Counter(tuple(sorted(found)) for found in people.values() if len(found) == 2)
    assert pairs == dict.fromkeys(combinations("ABCD", 2), 10)
    by_generator = Counter((one.annotator, stratum[one.image][0]) for one in plan.placements)
    assert by_generator == {(one, generator): 25 for one in "ABCD" for generator in ("g0", "g1", "g2")}
    for row in plan.balance.workload:
        assert (row.total, row.overlap) == (75, 30)
        assert set(row.by_prompt.values()) <= {7, 8}
        assert row.by_generator == {"g0": 25, "g1": 25, "g2": 25}
