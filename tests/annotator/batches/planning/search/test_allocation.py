"""A sample of images: every margin an integer next to its even share."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, floor

from hypothesis import given
from hypothesis import strategies as st

from annotator.batches.planning import PlanImage, Stream, sample

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
