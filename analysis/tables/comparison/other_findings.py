"""What a comparison says beyond its pairs of generators: weights, groups, and what the tests apply to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from analysis.tables.comparison.finding import (
    Finding,
    Result,
    Test,
    adjusted_prompts,
    is_clear,
    joint,
    skewed_over,
)
from analysis.tables.comparison.sensitivity import SAME, tip
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, lower_first, p_value, with_interval
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES, SEVERITIES, SEVERITY_TITLES

EQUAL = "No weights separate the generators: their errors of each severity are equal."
# Kinds of group: key of the tests, name of an entry's label, the kind in a sentence.
GROUPS: Final = (
    ("error_types", "error_type", "error types"),
    ("body_parts", "body_part", "body parts"),
    ("prompt_groups", "prompt_group", "prompt groups"),
    ("prompts", "prompt", "prompts"),
)
TITLES: Final = {"error_type": ERROR_TYPE_TITLES, "body_part": BODY_PART_TITLES}
# More names than this are counted.
NAMED: Final = 3


def weight_findings(result: Result) -> Iterator[Finding]:
    """Yield whether the order of the means depends on the weights; an order is not a difference."""
    found = result["weight_sensitivity"]
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
            "note",
            f"The means keep the order {order} (fewest errors first) under all weights with mild ≤ moderate "
            f"≤ severe.{_only_an_order(result['generator_comparisons'])}",
        )
        return
    yield Finding("note", f"With this report's weights, the order is {order} (fewest errors first).")
    for pair in tipping:
        yield Finding("note", _tips(pair, found["weights"]))


def _only_an_order(tests: Sequence[Test]) -> str:
    """Return which generators the order does not tell apart; empty if all differ clearly."""
    alike = [test for test in tests if not is_clear(test)]
    if not alike:
        return ""
    names = [f"{test['a']} and {test['b']}" for test in alike]
    which = _several([f"of {name}" for name in names]) if len(alike) <= NAMED else f"of {len(alike)} pairs"
    return f" That is an order of means only: the difference {which} is not clear."


def _tips(pair: Mapping[str, Any], weights: Mapping[str, float]) -> str:
    places = [
        f"at a weight of {tip(value)} for {SEVERITY_TITLES[severity]} errors "
        f"(now {rounded(weights[severity], PLACES)})"
        for severity in SEVERITIES
        if (value := pair["tips"][severity]) is not None and value > SAME
    ]
    names = f"{pair['a']} and {pair['b']}"
    if not places:
        return f"{names} swap places only if several weights change together."
    return f"{names} swap places {', or '.join(places)}, with the other weights unchanged."


def group_findings(result: Result) -> Iterator[Finding]:
    """Yield whether error types, body parts, prompt groups and prompts differ, and the highest of them."""
    for key, label, several in GROUPS:
        found = result["group_tests"][key]
        if found["overall"]["refused"] is None and len(result[key]) > 1:
            yield _group(result[key], found, label, several)
            if key == "prompts":
                yield from _uneven_prompts(result)


def _group(entries: Sequence[Result], found: Result, label: str, several: str) -> Finding:
    test = found["overall"]
    numbers = (
        f"F({_df(test['df1'])}, {_df(test['df2'])}) = {rounded(test['f'], PLACES)}, {p_value(test['p'])}"
    )
    if test["p"] >= 0.05:
        return Finding("open", f"No difference between the {several} was found: {numbers}.")
    means = [entry["image_mean"]["value"] for entry in entries]
    top = [entry for entry, mean in zip(entries, means, strict=True) if max(means) - mean <= SAME]
    names = _several([_name(entry[label], label) for entry in top[:NAMED]])
    highest = f"The highest mean, {rounded(max(means), PLACES)}, is that of {names}"
    if len(top) > NAMED:
        highest = f"{len(top)} {several} share the highest mean, {rounded(max(means), PLACES)}"
    pairs = "pair differs" if found["tested"] == 1 else "pairs differ"
    text = (
        f"The {several} differ: {numbers}; {found['clear']} of {found['tested']} {pairs} clearly (Holm). "
        f"{highest}.{_clearest(found['pairs'], label)}"
    )
    return Finding("clear", text)


def _uneven_prompts(result: Result) -> Iterator[Finding]:
    """Yield which prompt has the highest mean once adjusted, where raw means are partly something else."""
    adjusted, over = adjusted_prompts(result), skewed_over(result)
    if not over or not adjusted:
        return
    prompt, mean = max(adjusted.items(), key=lambda one: one[1]["value"])
    yield Finding(
        "note",
        f"The prompts are spread unevenly over the {' and '.join(over)}, so raw means of prompts and their "
        f"tests are partly differences between {' and '.join(over)}. Adjusted for them, the highest mean is "
        f"that of {_name(prompt, 'prompt')}, {with_interval(mean)}.",
    )


def _clearest(pairs: Sequence[Test], label: str) -> str:
    clear = [lower_first(pair) for pair in pairs if is_clear(pair)]
    if not clear:
        return ""
    pair = clear[0]
    a, b = (_name(pair[side], label) for side in ("a", "b"))
    return f" The clearest pair: {a} below {b}, {joint(pair)}."


def _name(text: str, label: str) -> str:
    return TITLES[label][text].lower() if label in TITLES else text or "(none)"


def _df(value: float) -> str:
    return rounded(value, 0 if value == int(value) else 1)


def _several(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def interaction_findings(result: Result) -> Iterator[Finding]:
    """Yield what it means that the differences between generators depend on the prompt."""
    test = result["generators_by_prompt"]["interaction"]
    if test["refused"] is not None or test["p"] >= 0.05:
        return
    yield Finding(
        "note",
        f"The differences depend on the prompt (interaction F({test['df1']}, {test['df2']}) = "
        f"{rounded(test['f'], PLACES)}, {p_value(test['p'])}): a generator may be better at some prompts and "
        "worse at others. Tests over images then say too often that generators differ in general; for other "
        "prompts, read the tests with the prompt as the unit or the mixed model.",
    )


def scope_findings(result: Result) -> Iterator[Finding]:
    """Yield what all tests hold fixed, and what the mixed model finds for other annotators and prompts."""
    if len(result["generators"]) < 2:
        return
    text = (
        "Annotators and prompts are fixed in these intervals and tests: they apply to further images of the "
        "same prompts, annotated by the same annotators."
    )
    pairs = result["mixed_model"]["pairs"]
    if pairs:
        clear = [
            f"{pair['a']} scores lower than {pair['b']}, {joint(pair)}"
            for pair in map(lower_first, pairs)
            if is_clear(pair)
        ]
        more = f"; and {len(clear) - NAMED} other pairs differ" if len(clear) > NAMED else ""
        text += (
            f" For other annotators and prompts like these (mixed model): {'; '.join(clear[:NAMED])}{more}."
            if clear
            else " For other annotators and prompts like these (mixed model), no generators differ clearly."
        )
    yield Finding("note", text)
