"""What a comparison says beyond its pairs of generators: groups, and what the tests apply to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.tables.comparison.finding import (
    Finding,
    Result,
    Test,
    adjusted_prompts,
    is_clear,
    joint,
    skewed_over,
)
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, lower_first, p_value, with_interval
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES

# Means that differ by less differ only by rounding.
SAME: Final = 1e-9
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
        "worse at others. The mixed model takes that into account, tests over images do not.",
    )
