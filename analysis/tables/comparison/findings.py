"""Findings of a comparison as sentences, including inconclusive ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analysis.tables.comparison.other_weights import SAME
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, interval, lower_first, p_value, with_interval
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES, SEVERITIES, SEVERITY_TITLES

LEVEL = 0.05
# At most this many pairs get a sentence; the table lists all.
PAIRS = 10

EQUAL = "No weights separate the generators: their errors of each severity are equal."

Result = Mapping[str, Any]
Test = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """A sentence; `kind` is `clear`, `open` (inconclusive), `refused` (no number) or `note`."""

    kind: str
    text: str


def findings(result: Result) -> list[Finding]:
    """Return the findings of a comparison report; none for a result stored before they existed."""
    if "generator_comparisons" not in result:
        return []
    return [
        *_pairs(result["generator_comparisons"]),
        *_row_by_row(result),
        *_blocked(result),
        *_adjusted(result),
        *_weights(result["weight_sensitivity"]),
        *_where(result),
    ]


def is_clear(test: Test) -> bool:
    """Return whether the corrected p is below 0.05."""
    return test["p_holm"] is not None and test["p_holm"] < LEVEL


def _pairs(tests: list[Test]) -> Iterator[Finding]:
    if not tests:
        yield Finding("refused", "The project has only one generator, so there is nothing to compare.")
    ordered = sorted(tests, key=lambda test: (not is_clear(test), test["p"] is None))
    for test in ordered[:PAIRS]:
        yield _pair(lower_first(test))
    if len(tests) > PAIRS:
        rest = ordered[PAIRS:]
        clear = sum(map(is_clear, rest))
        yield Finding(
            "note",
            f"Of the {len(rest)} other pairs of generators, {clear or 'none'} differ"
            f"{'s' if clear == 1 else ''} clearly; the table lists them.",
        )


def _pair(test: Test) -> Finding:
    a, b = test["a"], test["b"]
    if test["p"] is None:
        return Finding("refused", f"{a} and {b} cannot be tested: {test['difference']['refused']}.")
    numbers = (
        f"difference {with_interval(test['difference'])}, Welch's test over images {p_value(test['p'])}, "
        f"Holm-corrected {p_value(test['p_holm'])}, Hedges' g {with_interval(test['hedges_g'])}"
    )
    if is_clear(test):
        return Finding("clear", f"{a} scores lower than {b}: {numbers}.")
    return Finding(
        "open",
        f"No significant difference between {a} and {b} was found: {numbers}. "
        f"They may still differ: any difference in {interval(test['difference'])} fits the data.",
    )


def _row_by_row(result: Result) -> Iterator[Finding]:
    """Yield findings that differ if annotations are counted instead of images."""
    by_image = {(test["a"], test["b"]): test for test in result["generator_comparisons"]}
    for test in result["generator_tests"]:
        other = by_image[test["a"], test["b"]]
        if test["p"] is None or other["p"] is None or (test["p"] < LEVEL) == is_clear(other):
            continue
        yield Finding(
            "note",
            f"Counted by annotation, as in the published study, {test['a']} and {test['b']} "
            f"would {'' if test['p'] < LEVEL else 'not '}differ significantly "
            f"({p_value(test['p'])}, uncorrected).",
        )


def _blocked(result: Result) -> Iterator[Finding]:
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
        f"With the prompt as the unit, {pair['a']} and {pair['b']} {'' if clear else 'do not '}differ "
        f"clearly: {pair['a']} is lower in {pair['a_lower']} of {pair['prompts_shared']} prompts, difference "
        f"{with_interval(pair['difference'])}, Holm-corrected {p_value(pair['p_holm'])}.",
    )


def _adjusted(result: Result) -> Iterator[Finding]:
    """Yield what adjusting for leniency changes in tests of the same annotations."""
    adjusted = result["adjusted_for_annotator"]
    if adjusted["refused"] is not None:
        if len(result["generators"]) > 1:
            yield Finding("refused", f"Not adjusted for leniency: {adjusted['refused']}.")
        return
    # Older stored results lack the unadjusted test.
    tests = [test for test in adjusted["pairs"] if "unadjusted" in test]
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
            f"{'differ clearly' if is_clear(test) else 'no longer differ clearly'}: difference "
            f"{with_interval(test['difference'])}, Holm-corrected {p_value(test['p_holm'])}, "
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


def _weights(found: Result) -> Iterator[Finding]:
    if len(found["ranking"]) < 2:
        return
    alike = [pair for pair in found["pairs"] if max(map(abs, pair["severity"].values())) <= SAME]
    if len(alike) == len(found["pairs"]):
        yield Finding("open", EQUAL)
        return
    for pair in alike:
        yield Finding("note", f"{pair['a']} and {pair['b']} are equal under all weights.")
    tipping = [pair for pair in found["pairs"] if not pair["always"]]
    order = ", ".join(found["ranking"])
    if not tipping:
        yield Finding(
            "clear",
            f"The order {order} (fewest errors first) holds for all weights with mild ≤ moderate ≤ severe.",
        )
        return
    yield Finding("note", f"With this report's weights, the order is {order} (fewest errors first).")
    for pair in tipping:
        yield Finding("note", _tips(pair, found["weights"]))


def _tips(pair: Mapping[str, Any], weights: Mapping[str, float]) -> str:
    places = [
        f"at a weight of {rounded(value, PLACES)} for {SEVERITY_TITLES[severity]} errors "
        f"(now {rounded(weights[severity], PLACES)})"
        for severity in SEVERITIES
        if (value := pair["tips"][severity]) is not None
    ]
    names = f"{pair['a']} and {pair['b']}"
    if not places:
        return f"{names} swap places only if several weights change together."
    return f"{names} swap places {', or '.join(places)}, with the other weights unchanged."


def _where(result: Result) -> Iterator[Finding]:
    """Yield findings on which error types, body parts and prompts have most errors."""
    kind = _largest(result["error_types"], "error_type", ERROR_TYPE_TITLES)
    part = _largest(result["body_parts"], "body_part", BODY_PART_TITLES)
    if kind and part:
        yield Finding(
            "note",
            f"The largest shares of the mean score come from {kind} among error types and {part} among body "
            "parts.",
        )
    prompts = sorted(result["prompts"], key=lambda entry: entry["image_mean"]["value"])
    if len(prompts) > 1 and prompts[0]["image_mean"]["value"] < prompts[-1]["image_mean"]["value"]:
        low, high = prompts[0], prompts[-1]
        yield Finding(
            "note",
            f"The prompt with the most errors is {high['prompt'] or '(none)'} "
            f"(mean {with_interval(high['image_mean'])}); the prompt with the fewest is "
            f"{low['prompt'] or '(none)'} ({with_interval(low['image_mean'])}).",
        )


def _largest(entries: list[Mapping[str, Any]], key: str, titles: Mapping[str, str]) -> str:
    total = sum(entry["image_mean"]["value"] for entry in entries)
    if total <= 0:
        return ""
    top = max(entries, key=lambda entry: entry["image_mean"]["value"])
    share = 100 * top["image_mean"]["value"] / total
    return f"{titles[top[key]].lower()} ({share:.0f} %)"
