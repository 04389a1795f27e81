"""What may be concluded from a comparison, and what not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.first_screen.basis import Analysis, Result
from analysis.first_screen.ranking import Order
from analysis.tables.comparison.findings import LEVEL, is_clear
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, by_chance, counted, limits, listed, lower_first, tested

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
    """Return what is clear, inconclusive and uncertain about the generators with enough scores."""
    names = {one.generator for one in order.ranked}
    tests = [lower_first(test) for test in order.basis.tests if {test["a"], test["b"]} <= names]
    clear = [test for test in tests if is_clear(test)]
    unclear = [test for test in tests if not is_clear(test)]
    return [
        # The mixed model speaks of other prompts, too.
        *_clear(clear, tested(tests), "" if order.basis.slug == Analysis.MIXED else " on these prompts"),
        *_inconclusive(unclear),
        *_uncertain(result, order, clear),
    ]


def _clear(tests: Sequence[Test], pairs: int, where: str) -> Iterator[Conclusion]:
    lower: dict[str, list[Test]] = {}
    for test in sorted(tests, key=lambda test: test["difference"]["value"]):
        lower.setdefault(test["a"], []).append(test)
    ordered = sorted(lower.items(), key=lambda entry: -len(entry[1]))
    for name, found in ordered[:SHOWN]:
        gaps = [f"than {test['b']} by {_two(-test['difference']['value'])}" for test in found[:3]]
        if len(found) > 3:
            gaps.append(f"than {counted(len(found) - 3, 'other')}")
        chance = by_chance(max(test["p_holm"] for test in found), pairs)
        rest = f"{', '.join(gaps)}{where}. Chance alone would do that {chance}."
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


def either(test: Test, over: str = "") -> str:
    """Return what a difference that is not clear may be; `over` says of what, beside the interval."""
    found = test["simultaneous"]
    if found["low"] is None:
        return f"Not tested: {found['refused']}."
    joint = f"joint 95% interval{over}"
    low, high = found["low"], found["high"]
    if low <= 0 <= high:
        first = f"{test['a']} may score up to {_two(-low)} lower or {_two(high)} higher than {test['b']}"
        return f"Either may be better: {first} ({joint})."
    return f"Either may be better: the difference is {limits(found)} ({joint})."


def _uncertain(result: Result, order: Order, clear: Sequence[Test]) -> Iterator[Conclusion]:
    """Yield what other analyses say otherwise: over prompts, and with annotators and prompts as samples."""
    found = {(test["a"], test["b"]) for test in clear}
    over_prompts, held = _also(result["blocked_by_prompt"], found)
    if over_prompts and order.basis.slug != Analysis.MIXED:
        pairs = tested(result["blocked_by_prompt"]["pairs"])
        yield Conclusion("look", "Uncertain", "On other prompts", _less_sure(over_prompts, held, pairs))
    model, _ = _also(result["mixed_model"], found)
    if model and order.basis.slug != Analysis.MIXED and not over_prompts:
        named = listed([f"{test['a']} and {test['b']}" for test in model[:SHOWN]])
        chance = by_chance(max(test["p_holm"] for test in model), tested(result["mixed_model"]["pairs"]))
        rest = f"{named} do not differ clearly: chance alone would give such a gap {chance}."
        yield Conclusion("look", "Uncertain", "With other annotators and prompts", rest)


def _less_sure(tests: Sequence[Test], held: Sequence[Test], pairs: int) -> str:
    test = tests[0]
    count = (
        f"{test['a']} is lower on {test['a_lower']} of the {counted(test['prompts_shared'], 'prompt')}; "
        if "a_lower" in test
        else ""
    )
    others = len(tests) - 1
    more = f" Nor {'is' if others == 1 else 'are'} {counted(others, 'other difference')}." if others else ""
    if held:
        over = [f"of {one['a']} over {one['b']}" for one in held[:SHOWN]]
        more += (
            f" The advantage {over[0]} holds." if len(over) == 1 else f" The advantages {listed(over)} hold."
        )
    return (
        f"the advantage of {test['a']} over {test['b']} is uncertain: {count}"
        "chance alone would give such an advantage "
        f"{by_chance(test['p_holm'], pairs)}; up to {LEVEL * 100:.0f} of 100 counts as clear.{more}"
    )


def _also(found: Mapping[str, Any], clear: set[tuple[str, str]]) -> tuple[list[Test], list[Test]]:
    """Return the clear pairs that are not clear in another analysis of the same data, and those that are."""
    tests = [lower_first(test) for test in found["pairs"] if test["p_holm"] is not None]
    both = [test for test in tests if (test["a"], test["b"]) in clear or (test["b"], test["a"]) in clear]
    return [test for test in both if test["p_holm"] >= LEVEL], [test for test in both if is_clear(test)]


def _two(value: float) -> str:
    return rounded(value, PLACES)
