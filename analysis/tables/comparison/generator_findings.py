"""What the mixed model says of the generators, in sentences; the one with fewer errors always comes first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.tables.comparison.finding import (
    Finding,
    Result,
    Test,
    at_limit,
    is_clear,
    joint,
    pairs_of,
    scope,
    sharper,
)
from analysis.tables.wording import limits, lower_first, p_value

# At most this many pairs get a sentence; the table lists all.
PAIRS: Final = 10


def pair_findings(result: Result) -> Iterator[Finding]:
    """Yield a sentence for each pair of generators, clear ones first, or why there is none."""
    model = result["mixed_model"]
    if model["refused"]:
        yield Finding("refused", f"The generators are not compared: {model['refused']}.")
        return
    tests, holds = pairs_of(result), scope(model)
    ordered = sorted(tests, key=lambda test: (not is_clear(test), test["p"] is None))
    for test in ordered[:PAIRS]:
        yield _pair(lower_first(test), holds)
    if len(tests) > PAIRS:
        rest = ordered[PAIRS:]
        clear = sum(map(is_clear, rest))
        yield Finding(
            "note",
            f"Of the {len(rest)} other pairs of generators, {clear or 'none'} differ"
            f"{'s' if clear == 1 else ''} clearly; the table lists them.",
        )


def _pair(test: Test, holds: str) -> Finding:
    a, b = test["a"], test["b"]
    if test["p"] is None:
        return Finding("refused", f"{a} and {b} cannot be tested: {test['difference']['refused']}.")
    limit = ", at the limit" if at_limit(test) else ""
    numbers = f"{joint(test)}, mixed model, {p_value(test['p_holm'])} after Holm{limit}"
    if is_clear(test):
        return Finding("clear", f"{a} scores lower than {b}, {holds}: {numbers}.{sharper(test)}")
    fits = limits(test["simultaneous"])
    return Finding(
        "open",
        f"No clear difference between {a} and {b} was found, {holds}: {numbers}. They may still differ: any "
        f"difference from {fits} fits the data.",
    )
