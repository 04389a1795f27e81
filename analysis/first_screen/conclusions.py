"""What may be concluded from a comparison, and what not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.first_screen.basis import Result
from analysis.first_screen.ranking import Order
from analysis.tables.comparison.finding import at_limit, is_clear, scope
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, counted, limits, lower_first, p_value

SHOWN: Final = 2
Test = Mapping[str, Any]


@dataclass(frozen=True)
class Conclusion:
    """One line: a verdict (`fine` or `look`) with its word, what is said (`bold`), and the rest of it."""

    verdict: str
    word: str
    bold: str
    rest: str


def conclusions_of(result: Result, order: Order) -> list[Conclusion]:
    """Return what the mixed model finds clear or not about the generators with enough scores."""
    names = {one.generator for one in order.ranked}
    tests = [lower_first(test) for test in order.basis.tests if {test["a"], test["b"]} <= names]
    clear = [test for test in tests if is_clear(test)]
    unclear = [test for test in tests if not is_clear(test)]
    return [
        *_clear(clear, scope(result["model"])),
        *_inconclusive(unclear),
    ]


def _clear(tests: Sequence[Test], holds: str) -> Iterator[Conclusion]:
    lower: dict[str, list[Test]] = {}
    for test in sorted(tests, key=lambda test: test["difference"]["value"]):
        lower.setdefault(test["a"], []).append(test)
    ordered = sorted(lower.items(), key=lambda entry: -len(entry[1]))
    for name, found in ordered[:SHOWN]:
        gaps = [f"than {test['b']} by {_two(-test['difference']['value'])}" for test in found[:3]]
        if len(found) > 3:
            gaps.append(f"than {counted(len(found) - 3, 'other')}")
        largest = max(found, key=lambda test: test["p_holm"])
        limit = ", at the limit" if at_limit(largest) else ""
        rest = f"{', '.join(gaps)}, {holds} ({p_value(largest['p_holm'])} after Holm{limit})."
        yield Conclusion("fine", "Clear", f"{name} scores lower", rest)
    if len(ordered) > SHOWN:
        more = sum(len(found) for _, found in ordered[SHOWN:])
        yield Conclusion("fine", "Clear", f"{counted(more, 'more pair')}", "listed under Differences.")


def _inconclusive(tests: Sequence[Test]) -> Iterator[Conclusion]:
    # Those nearest to a verdict first.
    ordered = sorted(tests, key=lambda test: (test["p"] is None, test["p"] or 0))
    for test in ordered[:SHOWN]:
        yield Conclusion("look", "Inconclusive", f"{test['a']} or {test['b']}?", either(test))
    if len(ordered) > SHOWN:
        more = counted(len(ordered) - SHOWN, "more pair")
        yield Conclusion(
            "look", "Inconclusive", more, "without a clear difference, listed under Differences."
        )


def either(test: Test) -> str:
    """Return what a difference that is not clear may be."""
    found = test["difference"]
    if found["low"] is None:
        return f"Not tested: {found['refused']}."
    low, high = found["low"], found["high"]
    if low <= 0 <= high:
        first = f"{test['a']} may score up to {_two(-low)} lower or {_two(high)} higher than {test['b']}"
        return f"Either may be better: {first} (95% interval)."
    return f"Either may be better: the difference is {limits(found)} (95% interval)."


def _two(value: float) -> str:
    return rounded(value, PLACES)
