"""The one-line results of a comparison's sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from analysis.tables.comparison.finding import (
    LEVEL,
    adjusted_prompts,
    is_clear,
    pairs_of,
    skewed_over,
)
from analysis.tables.comparison.weights import weights_line
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, counted, listed, lower_first, p_value
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES
from scoring.rounding import percent

# With more pairs than this the line counts them.
PAIRS: Final = 3

Result = Mapping[str, Any]


def _generators(result: Result) -> tuple[str, str]:
    rows = _ordered(result["generators"])
    shown = ", ".join(f"{row['generator']} {_mean(row)}" for row in rows[:PAIRS])
    return f"{shown}{' and others' if len(rows) > PAIRS else ''}", counted(len(rows), "generator")


def _balance(result: Result) -> tuple[str, str]:
    found = result["balance"]
    text = found["words"] if found["balanced"] else found["words"].partition(". ")[0]
    return text.rstrip("."), counted(len(found["annotators"]), "annotator")


def _differences(result: Result) -> tuple[str, str]:
    if reason := result["mixed_model"]["refused"]:
        return f"No verdict: {reason}", ""
    tests = [lower_first(test) for test in pairs_of(result)]
    clear = [test for test in tests if is_clear(test)]
    size = counted(len(tests), "test")
    if not clear:
        return "No two generators differ clearly", size
    if len(tests) > PAIRS:
        return f"{len(clear)} of {len(tests)} pairs of generators differ clearly", size
    gaps = " and ".join(
        f"{'' if place and clear[place - 1]['a'] == test['a'] else test['a'] + ' is '}"
        f"{rounded(-test['difference']['value'], PLACES)} below {test['b']}"
        for place, test in enumerate(clear)
    )
    return gaps, size


def _spread(result: Result) -> tuple[str, str]:
    rows = _ordered(result["generators"])
    shown = ", ".join(f"{row['generator']} {rounded(row['image_median'], PLACES)}" for row in rows[:PAIRS])
    return f"Median scores: {shown}{' and others' if len(rows) > PAIRS else ''}", ""


def _severities(result: Result) -> tuple[str, str]:
    kind = _largest(result["error_types"], "error_type", ERROR_TYPE_TITLES)
    part = _largest(result["body_parts"], "body_part", BODY_PART_TITLES)
    if not (kind and part):
        return "No errors were marked", "25 cells"
    return f"Largest share of the score: {kind} among error types, {part} among body parts", "25 cells"


def _largest(rows: Sequence[Result], key: str, titles: Mapping[str, str]) -> str:
    total = sum(row["image_mean"]["value"] for row in rows)
    if total <= 0:
        return ""
    most = max(row["image_mean"]["value"] for row in rows)
    top = [titles[row[key]].lower() for row in rows if row["image_mean"]["value"] == most]
    return f"{listed(top)} ({'' if len(top) == 1 else 'each '}{percent(most / total)}%)"


def _prompts(result: Result) -> tuple[str, str]:
    rows, which = _ordered(result["prompts"]), "mean"
    # As with generators, the adjusted means lead where raw ones are partly differences between annotators.
    if skewed_over(result) and (adjusted := adjusted_prompts(result)):
        rows = _ordered([{"prompt": prompt, "image_mean": mean} for prompt, mean in adjusted.items()])
        which = "adjusted mean"
    size = counted(len(result["prompts"]), "prompt")
    if len(rows) < 2 or rows[0]["image_mean"]["value"] == rows[-1]["image_mean"]["value"]:
        return f"Mean score {_mean(rows[-1])}", size
    top = [row["prompt"] or "(none)" for row in rows if row["image_mean"] == rows[-1]["image_mean"]]
    hardest = f"Highest {which}: {listed(top[:PAIRS])} ({_mean(rows[-1])})"
    test = result["generators_by_prompt"]["interaction"]
    if test["p"] is None:
        return hardest, size
    depends = (
        "how far the generators differ depends on the prompt"
        if test["p"] < LEVEL
        else "no evidence that differences depend on the prompt"
    )
    return f"{hardest}; {depends} ({p_value(test['p'])})", size


def _annotators(result: Result) -> tuple[str, str]:
    rows = _ordered(result["annotators"])
    size = counted(len(rows), "annotator")
    if len(rows) < 2:
        return f"{rows[0]['annotator']}: mean score {_mean(rows[0])}", size
    if _mean(rows[0]) == _mean(rows[-1]):
        return f"All have the mean score {_mean(rows[0])}", size
    low, high = (f"{_mean(row)} ({_people(rows, row)})" for row in (rows[0], rows[-1]))
    return f"Mean scores from {low} to {high}", size


def _people(rows: Sequence[Result], like: Result) -> str:
    """Return the annotators whose shown mean is that of `like`."""
    tied = [row["annotator"] for row in rows if _mean(row) == _mean(like)]
    return listed(tied) if len(tied) <= PAIRS else counted(len(tied), "annotator")


def _crossed(_: Result) -> tuple[str, str]:
    return "Severities of each error type and body part by prompt", "figures"


def _by_annotation(result: Result) -> tuple[str, str]:
    rows = sorted(result["generators"], key=lambda row: row["mean"])
    shown = ", ".join(f"{row['generator']} {rounded(row['mean'], PLACES)}" for row in rows[:PAIRS])
    return f"As published: {shown}{' and others' if len(rows) > PAIRS else ''}", "secondary"


def counting(result: Result) -> tuple[str, str]:
    """Return how many of the submitted annotations count."""
    found = result["answers"]
    text = f"{found['counted']:,} of {found['submitted']:,} submitted annotations count"
    return text, counted(len(found["not_counted"]), "reason") if found["not_counted"] else ""


def counted_by_annotation(result: Result) -> Result:
    """Return a result whose numbers by image are those by annotation, for lines about the published numbers.

    The means then have no intervals, which lines do not show.
    """
    summaries = ("generators", "prompts", "prompt_groups", "error_types", "body_parts", "annotators")
    shown = {
        key: [
            {**row, "image_mean": {"value": row["mean"]}, "image_median": row["median"]}
            for row in result[key]
        ]
        for key in summaries
    }
    return {**result, **shown, "generator_comparisons": result["by_annotation"]["pairs"], "by_image": result}


def _by_image(result: Result) -> tuple[str, str]:
    return f"By image: {_generators(result['by_image'])[0]}", "primary unit"


def _ordered(rows: Sequence[Result]) -> list[Result]:
    return sorted(rows, key=lambda row: row["image_mean"]["value"])


def _mean(row: Result) -> str:
    return rounded(row["image_mean"]["value"], PLACES)


Maker = Callable[[Result], tuple[str, str]]
# Results stored by early versions have no means over images.
LINES: Final[Mapping[str, tuple[tuple[str, ...], Maker]]] = {
    "who-judged-what": (("balance",), _balance),
    "by-generator": (("generators", "generator_comparisons"), _generators),
    "differences": (("mixed_model",), _differences),
    "weights": (("weights",), weights_line),
    "spread": (("generators",), _spread),
    "severities": (("error_types", "body_parts"), _severities),
    "by-prompt": (("prompts",), _prompts),
    "by-annotator": (("annotators",), _annotators),
    "crossed": (("severity_sums",), _crossed),
    "by-annotation": (("generators",), _by_annotation),
    "by-image": (("by_image",), _by_image),
    "counted": (("answers",), counting),
}
