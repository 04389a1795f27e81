from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.batches.planning.randomness import Stream
from annotator.batches.planning.search.allocation import rounded_up
from tests.support.examples import examples


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
