"""What the tests between generators say, in sentences; the one with fewer errors always comes first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.stats.comparison.holm import holm
from analysis.tables.comparison.finding import (
    ADJUSTED,
    IMAGE,
    LEVEL,
    MIXED,
    Finding,
    Result,
    Test,
    adjusted_for,
    is_clear,
    joint,
    pairs_of,
    sharper,
)
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, limits, lower_first, p_value

# At most this many pairs get a sentence; the table lists all.
PAIRS: Final = 10
_HOW: Final = {
    IMAGE: "Welch's test over images",
    ADJUSTED: "adjusted for {for}",
    MIXED: "mixed model, for other annotators and prompts like these",
}


def pair_findings(result: Result, analysis: str) -> Iterator[Finding]:
    """Yield a sentence for each pair of generators, clear ones first, or why there is none."""
    tests = pairs_of(result, analysis)
    if not tests:
        yield Finding("refused", "The project has only one generator, so there is nothing to compare.")
    ordered = sorted(tests, key=lambda test: (not is_clear(test), test["p"] is None))
    how = _HOW[analysis].format(**{"for": adjusted_for(result)})
    for test in ordered[:PAIRS]:
        yield _pair(lower_first(test), how)
    if len(tests) > PAIRS:
        rest = ordered[PAIRS:]
        clear = sum(map(is_clear, rest))
        yield Finding(
            "note",
            f"Of the {len(rest)} other pairs of generators, {clear or 'none'} differ"
            f"{'s' if clear == 1 else ''} clearly; the table lists them.",
        )


def _pair(test: Test, how: str) -> Finding:
    a, b = test["a"], test["b"]
    if test["p"] is None:
        return Finding("refused", f"{a} and {b} cannot be tested: {test['difference']['refused']}.")
    numbers = f"{joint(test)}, {how}, Holm-corrected {p_value(test['p_holm'])}"
    g = test.get("hedges_g", {"low": None})
    if g["low"] is not None:
        numbers += f", Hedges' g {rounded(g['value'], PLACES)} ({limits(g)})"
    if is_clear(test):
        return Finding("clear", f"{a} scores lower than {b}: {numbers}.{sharper(test)}")
    fits = limits(test["simultaneous"])
    return Finding(
        "open",
        f"No clear difference between {a} and {b} was found: {numbers}. They may still differ: any "
        f"difference from {fits} fits the data.",
    )


def row_findings(result: Result) -> Iterator[Finding]:
    """Yield pairs whose verdict differs if annotations are counted instead of images, both by Holm."""
    by_image = {(test["a"], test["b"]): test for test in result["generator_comparisons"]}
    tests = result["generator_tests"]
    for test, value in zip(tests, holm([test["p"] for test in tests]), strict=True):
        other = by_image[test["a"], test["b"]]
        if value is None or other["p"] is None or (value < LEVEL) == is_clear(other):
            continue
        yield Finding(
            "note",
            f"Counted by annotation, as in the published study, {test['a']} and {test['b']} would "
            f"{'' if value < LEVEL else 'not '}differ clearly: Holm-corrected {p_value(value)}, over images "
            f"{p_value(other['p_holm'])}.",
        )


def prompt_findings(result: Result) -> Iterator[Finding]:
    """Yield what the tests within prompts say, and which verdicts change with the prompt as the unit."""
    test = result["blocked_by_prompt"]["omnibus"]
    if test["refused"] is not None:
        if len(result["generators"]) > 1:
            yield Finding("refused", f"Generators were not compared within prompts: {test['refused']}.")
        return
    numbers = f"F({test['df1']}, {test['df2']}) = {rounded(test['f'], PLACES)}, {p_value(test['p'])}"
    if test["p"] < LEVEL:
        yield Finding("clear", f"Adjusted for prompt difficulty, the generators differ: {numbers}.")
    else:
        yield Finding("open", f"Adjusted for prompt difficulty, no generator stands out: {numbers}.")
    by_image = {(test["a"], test["b"]): test for test in result["generator_comparisons"]}
    for pair in result["blocked_by_prompt"]["pairs"]:
        if pair["p"] is not None and is_clear(pair) != is_clear(by_image[pair["a"], pair["b"]]):
            yield _over_prompts(lower_first(pair))


def _over_prompts(pair: Test) -> Finding:
    clear = is_clear(pair)
    return Finding(
        "clear" if clear else "open",
        f"Counting each prompt once, {pair['a']} and {pair['b']} {'' if clear else 'do not '}differ "
        f"clearly: {pair['a']} is lower in {pair['a_lower']} of {pair['prompts_shared']} prompts, "
        f"{joint(pair)}, Holm-corrected {p_value(pair['p_holm'])}.{sharper(pair) if clear else ''}",
    )


def leniency_findings(result: Result) -> Iterator[Finding]:
    """Yield what adjusting for leniency changes in tests of the same annotations."""
    adjusted = result["adjusted_for_annotator"]
    if adjusted["refused"] is not None:
        if len(result["generators"]) > 1:
            yield Finding("refused", f"Not adjusted for leniency: {adjusted['refused']}.")
        return
    tests = adjusted["pairs"]
    known = [test for test in tests if None not in (test["p"], test["unadjusted"]["p"])]
    changed = [test for test in known if is_clear(test) != is_clear(test["unadjusted"])]
    for test in tests:
        if test not in known:
            yield _not_adjusted(lower_first(test))
    if known and not changed:
        yield Finding(
            "note",
            f"Adjusting for the annotators' leniency does not change which generators differ clearly"
            f"{_of_annotations(result)}.",
        )
    for test in map(lower_first, changed):
        yield Finding(
            "note",
            f"Adjusted for the annotators' leniency, {test['a']} and {test['b']} "
            f"{'differ clearly' if is_clear(test) else 'no longer differ clearly'}: {joint(test)}, "
            f"Holm-corrected {p_value(test['p_holm'])}, "
            f"unadjusted {p_value(test['unadjusted']['p_holm'])}"
            f"{_of_annotations(result)}.",
        )


def _not_adjusted(test: Test) -> Finding:
    """Return the finding for a pair that lacks one of the two tests."""
    how = "without" if test["p"] is not None else "with"
    found = test["unadjusted"] if test["p"] is not None else test
    return Finding(
        "refused",
        f"{test['a']} and {test['b']} cannot be tested {how} adjustment for the annotators' leniency: "
        f"{found['difference']['refused']}.",
    )


def _of_annotations(result: Result) -> str:
    """Return the note that both tests ignore adjudicated values; empty without any."""
    decided = result["settings"]["images_adjudicated"]
    if not decided:
        return ""
    them = "the adjudicated value" if decided == 1 else f"the {decided:,} adjudicated values"
    return f". Both tests use the original annotations instead of {them}"
