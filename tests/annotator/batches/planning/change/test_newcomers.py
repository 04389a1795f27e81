"""Who joins a batch that made up for earlier ones stands where the middle of the others stands."""

from __future__ import annotations

from annotator.batches.planning import Earlier
from annotator.batches.planning.change.newcomers import with_newcomers

EARLIER = Earlier(
    by_generator={("a", "g"): 2, ("b", "g"): 5, ("c", "g"): 4, ("c", "h"): 3},
    by_prompt={("a", "p"): 2, ("b", "p"): 5, ("c", "p"): 7},
    pairs={("a", "b"): 1, ("a", "c"): 2, ("b", "c"): 4},
    pair_generator={("a", "b", "g"): 1, ("a", "c", "g"): 2, ("b", "c", "g"): 3, ("b", "c", "h"): 1},
)


def test_the_middle_one_is_the_model() -> None:
    """b holds 5, between 2 and 7; what b shares with somebody in the middle is what both would share."""
    now = with_newcomers(EARLIER, ["a", "b", "c"], ["x", "y"])
    assert now.by_generator == {**EARLIER.by_generator, ("x", "g"): 5, ("y", "g"): 5}
    assert now.by_prompt == {**EARLIER.by_prompt, ("x", "p"): 5, ("y", "p"): 5}
    assert {pair: count for pair, count in now.pairs.items() if set(pair) & {"x", "y"}} == {
        ("a", "x"): 1,
        ("b", "x"): 1,
        ("c", "x"): 4,
        ("a", "y"): 1,
        ("b", "y"): 1,
        ("c", "y"): 4,
        ("x", "y"): 1,
    }
    assert now.pair_generator["c", "x", "h"] == 1
    assert {pair: now.pairs[pair] for pair in EARLIER.pairs} == EARLIER.pairs


def test_a_newcomer_among_one() -> None:
    alone = Earlier({("a", "g"): 2}, {("a", "p"): 2}, {}, {})
    now = with_newcomers(alone, ["a"], ["x"])
    assert (now.by_generator["x", "g"], now.by_prompt["x", "p"], now.pairs) == (2, 2, {})


def test_nobody_new_and_nobody_known() -> None:
    assert with_newcomers(EARLIER, ["a", "b", "c"], []) is EARLIER
    assert with_newcomers(EARLIER, [], ["x"]) is EARLIER
