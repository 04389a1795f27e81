"""What a comparison says, in sentences; a finding that is none is said too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analysis.tables.comparison.weighing import SAME
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, interval, lower_first, p_value, with_interval
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES, SEVERITIES, SEVERITY_TITLES

LEVEL = 0.05
# Sentences about pairs; the table below holds all of them.
PAIRS = 10

EQUAL = "No weights tell the generators apart: their errors of each severity are equal."

Result = Mapping[str, Any]
Test = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """`kind` is `clear`, `open` (nothing could be shown), `refused` (no number) or `note`."""

    kind: str
    text: str


def findings(result: Result) -> list[Finding]:
    """The sentences of a comparison report; none for a result stored before there were any."""
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
    """Whether the corrected p is below 0.05."""
    return test["p_holm"] is not None and test["p_holm"] < LEVEL


def _pairs(tests: list[Test]) -> Iterator[Finding]:
    if not tests:
        yield Finding("refused", "There is only one generator, so there is nothing to compare it with.")
    ordered = sorted(tests, key=lambda test: (not is_clear(test), test["p"] is None))
    for test in ordered[:PAIRS]:
        yield _pair(lower_first(test))
    if len(tests) > PAIRS:
        rest = ordered[PAIRS:]
        clear = sum(map(is_clear, rest))
        yield Finding(
            "note",
            f"Of the {len(rest)} other pairs of generators {clear or 'none'} differ"
            f"{'s' if clear == 1 else ''} clearly; the table lists them.",
        )


def _pair(test: Test) -> Finding:
    a, b = test["a"], test["b"]
    if test["p"] is None:
        return Finding("refused", f"{a} and {b} cannot be tested: {test['difference']['refused']}.")
    numbers = (
        f"difference {with_interval(test['difference'])}, image-wise Welch {p_value(test['p'])}, "
        f"after Holm's correction {p_value(test['p_holm'])}, Hedges' g {with_interval(test['hedges_g'])}"
    )
    if is_clear(test):
        return Finding("clear", f"{a} scores lower than {b}: {numbers}.")
    return Finding(
        "open",
        f"No difference between {a} and {b} could be shown: {numbers}. "
        f"They need not be alike: a difference anywhere in {interval(test['difference'])} fits the data.",
    )


def _row_by_row(result: Result) -> Iterator[Finding]:
    """Where counting annotations instead of images would say something else."""
    by_image = {(test["a"], test["b"]): test for test in result["generator_comparisons"]}
    for test in result["generator_tests"]:
        other = by_image[test["a"], test["b"]]
        if test["p"] is None or other["p"] is None or (test["p"] < LEVEL) == is_clear(other):
            continue
        yield Finding(
            "note",
            f"Counted annotation by annotation, as the published study did, {test['a']} and {test['b']} "
            f"would {'' if test['p'] < LEVEL else 'not '}differ ({p_value(test['p'])}, uncorrected).",
        )


def _blocked(result: Result) -> Iterator[Finding]:
    test = result["blocked_by_prompt"]["omnibus"]
    if test["refused"] is not None:
        if len(result["generators"]) > 1:
            yield Finding("refused", f"Generators were not compared within prompts: {test['refused']}.")
        return
    numbers = f"F({test['df1']}, {test['df2']}) = {rounded(test['f'], PLACES)}, {p_value(test['p'])}"
    if test["p"] < LEVEL:
        yield Finding("clear", f"With the difficulty of prompts taken out, the generators differ: {numbers}.")
    else:
        yield Finding(
            "open", f"With the difficulty of prompts taken out, no generator stands out: {numbers}."
        )
    by_image = {(test["a"], test["b"]): test for test in result["generator_comparisons"]}
    for pair in result["blocked_by_prompt"]["pairs"]:
        if pair["p"] is not None and is_clear(pair) != is_clear(by_image[pair["a"], pair["b"]]):
            yield _over_prompts(lower_first(pair))


def _over_prompts(pair: Test) -> Finding:
    clear = is_clear(pair)
    return Finding(
        "clear" if clear else "open",
        f"With the prompt as the unit, {pair['a']} against {pair['b']} is {'' if clear else 'not '}clear: "
        f"lower in {pair['a_lower']} of {pair['prompts_shared']} prompts, difference "
        f"{with_interval(pair['difference'])}, after Holm's correction {p_value(pair['p_holm'])}.",
    )


def _adjusted(result: Result) -> Iterator[Finding]:
    """What leniency changes: two tests of the same annotations, with it and without it."""
    adjusted = result["adjusted_for_annotator"]
    if adjusted["refused"] is not None:
        if len(result["generators"]) > 1:
            yield Finding("refused", f"Not adjusted for leniency: {adjusted['refused']}.")
        return
    # A result stored before the two tests stood side by side has nothing to compare with.
    tests = [test for test in adjusted["pairs"] if "unadjusted" in test]
    known = [test for test in tests if None not in (test["p"], test["unadjusted"]["p"])]
    changed = [test for test in known if is_clear(test) != is_clear(test["unadjusted"])]
    for test in tests:
        if test not in known:
            yield _not_adjusted(lower_first(test))
    if known and not changed:
        yield Finding(
            "note",
            f"Taking out how lenient each annotator is does not change which generators differ clearly"
            f"{_of_annotations(result)}.",
        )
    for test in map(lower_first, changed):
        yield Finding(
            "note",
            f"With the annotators' leniency taken out, {test['a']} and {test['b']} "
            f"{'differ clearly' if is_clear(test) else 'no longer differ clearly'}: difference "
            f"{with_interval(test['difference'])}, after Holm's correction {p_value(test['p_holm'])}, "
            f"where with it left in the correction gives {p_value(test['unadjusted']['p_holm'])}"
            f"{_of_annotations(result)}.",
        )


def _not_adjusted(test: Test) -> Finding:
    """A pair without a test on one side: there is nothing to compare, and why."""
    with_it = "left in" if test["p"] is not None else "taken out"
    found = test["unadjusted"] if test["p"] is not None else test
    return Finding(
        "refused",
        f"{test['a']} and {test['b']} cannot be tested with the annotators' leniency {with_it}: "
        f"{found['difference']['refused']}.",
    )


def _of_annotations(result: Result) -> str:
    """Which values the two tests use, where other tests of the report use others."""
    decided = result["settings"]["images_adjudicated"]
    if not decided:
        return ""
    them = "The adjudicated value is" if decided == 1 else f"The {decided:,} adjudicated values are"
    return f". {them} no single annotator's: both tests use the annotations as they were made"


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
            f"The order {order} (fewest errors first) holds under all weights by which a severe error "
            "counts at least as much as a moderate one, and a moderate one at least as much as a mild one.",
        )
        return
    yield Finding("note", f"With the weights of this report the order is {order}, fewest errors first.")
    for pair in tipping:
        yield Finding("note", _tips(pair, found["weights"]))


def _tips(pair: Mapping[str, Any], weights: Mapping[str, float]) -> str:
    places = [
        f"at a weight of {rounded(value, PLACES)} for {SEVERITY_TITLES[severity]} errors "
        f"(here {rounded(weights[severity], PLACES)})"
        for severity in SEVERITIES
        if (value := pair["tips"][severity]) is not None
    ]
    names = f"{pair['a']} and {pair['b']}"
    if not places:
        return f"{names} change places only where several weights change together."
    return f"{names} change places {', or '.join(places)}, the other weights as they are."


def _where(result: Result) -> Iterator[Finding]:
    """Where the errors are."""
    kind = _largest(result["error_types"], "error_type", ERROR_TYPE_TITLES)
    part = _largest(result["body_parts"], "body_part", BODY_PART_TITLES)
    if kind and part:
        yield Finding(
            "note",
            f"The largest share of the mean score falls to {kind} among the error types and to {part} "
            "among the body parts.",
        )
    prompts = sorted(result["prompts"], key=lambda entry: entry["image_mean"]["value"])
    if len(prompts) > 1 and prompts[0]["image_mean"]["value"] < prompts[-1]["image_mean"]["value"]:
        low, high = prompts[0], prompts[-1]
        yield Finding(
            "note",
            f"The prompt with the most errors is {high['prompt'] or '(none)'} "
            f"(mean {with_interval(high['image_mean'])}), the one with the fewest "
            f"{low['prompt'] or '(none)'} ({with_interval(low['image_mean'])}).",
        )


def _largest(entries: list[Mapping[str, Any]], key: str, titles: Mapping[str, str]) -> str:
    total = sum(entry["image_mean"]["value"] for entry in entries)
    if total <= 0:
        return ""
    top = max(entries, key=lambda entry: entry["image_mean"]["value"])
    share = 100 * top["image_mean"]["value"] / total
    return f"{titles[top[key]].lower()} ({share:.0f} %)"
