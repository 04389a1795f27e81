"""The comparison under other choices, and the sizes that a difference needs, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from analysis.tables.comparison.finding import LEVEL, Finding
from analysis.tables.comparison.sensitivity import SAME
from analysis.tables.table import Table, TableCell, column, count, name, number, rounded, table_of
from analysis.tables.wording import limits
from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES

PLACES: Final = 2
# More exceptions than these are counted.
NAMED: Final = 3

Result = Mapping[str, Any]
Row = Mapping[str, Any]

_CHOICES: Final = {
    "reported": "As reported, over images",
    "within_prompts": "Prompt as the unit, paired",
    "mixed": "Mixed model, other annotators and prompts",
    "by_annotation": "Annotation by annotation, as published",
    "log": "log(1 + score)",
    "ranks": "Ranks, in percent of the images",
}


def choice(row: Row, adjusted_for: Sequence[str] = ()) -> str:
    """Return what a row does otherwise, as text."""
    kind = row["kind"]
    if kind == "adjusted":
        return f"Adjusted for {' and '.join(adjusted_for)}"
    if kind == "weights":
        return f"Weights {' / '.join(rounded(row['weights'][severity], 0) for severity in SEVERITIES)}"
    if kind == "unreadable":
        return f"Unreadable terms read as {SEVERITY_TITLES[row['severity']]}"
    if kind == "without_prompt":
        return f"Without the prompt “{row['prompt'] or '(none)'}”"
    if kind == "without_annotator":
        return f"Without annotator {row['annotator']}"
    return _CHOICES[kind]


def robustness_tables(result: Result) -> list[Table]:
    """Return a row for each other choice, and the sizes needed; none if not computed."""
    found, sizes = result["robustness"], result["sample_size"]
    tables = [_robustness(result, found)] if found["rows"] else []
    return tables + ([_sizes(sizes)] if sizes["rows"] else [])


def _robustness(result: Result, found: Result) -> Table:
    known = next(row["pairs"] for row in found["rows"] if row["refused"] is None) if found["compared"] else []
    names = [(pair["a"], pair["b"]) for pair in known]
    reported = {
        "kind": "reported",
        "refused": None,
        "order": result["weight_sensitivity"]["ranking"],
        "order_holds": True,
        "verdicts_hold": True,
        "pairs": _reported(result, names),
    }
    adjusted_for = result["adjusted"]["adjusted_for"]
    return table_of(
        "robustness",
        "Results under other choices",
        "Each row repeats the comparison with one choice changed: differences with joint 95% intervals, and "
        "whether the order of the means and the verdicts (Holm-corrected p below 0.05) stay as reported. The "
        "unit is the image and the test is Welch's unless stated. Differences of ranks and logarithms have "
        "scales of their own.",
        (
            column(name, "Choice", lambda row: choice(row, adjusted_for)),
            *(column(partial(_difference, place), f"{a} – {b}", dict) for place, (a, b) in enumerate(names)),
            column(name, "Order", partial(_holds, result["weight_sensitivity"]["ranking"])),
            column(name, "Verdicts", partial(_verdicts, reported["pairs"])),
        ),
        [reported, *sorted(found["rows"], key=_place)],
    )


def _reported(result: Result, names: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    tests = {(test["a"], test["b"]): test for test in result["generator_comparisons"]}
    return [
        {
            "a": a,
            "b": b,
            "difference": tests[a, b]["difference"]["value"],
            **{key: tests[a, b]["simultaneous"][key] for key in ("low", "high")},
            "p_holm": tests[a, b]["p_holm"],
        }
        for a, b in names
    ]


def _place(row: Row) -> int:
    """Put what is left out last, and of that first what changes the result."""
    if not row["kind"].startswith("without"):
        return 0
    return 2 if row["order_holds"] and row["verdicts_hold"] else 1


def _difference(place: int, row: Row) -> TableCell:
    if row["refused"] is not None:
        return TableCell("–", numeric=True, note=row["refused"])
    pair = row["pairs"][place]
    if pair["difference"] is None:
        return TableCell("–", numeric=True)
    text = rounded(pair["difference"], PLACES)
    return TableCell(text if pair["low"] is None else f"{text} ({limits(pair)})", numeric=True)


def _holds(reported: Sequence[str], row: Row) -> str:
    if row["refused"] is not None:
        return "–"
    return "the same" if list(row["order"]) == list(reported) else ", ".join(row["order"])


def _verdicts(reported: Sequence[Row], row: Row) -> str:
    if row["refused"] is not None:
        return "–"
    if row["verdicts_hold"]:
        return "the same"
    changed = [
        f"{one['a']} – {one['b']} {'clear' if _is_clear(one) else 'not clear'}"
        for one, before in zip(row["pairs"], reported, strict=True)
        if _is_clear(one) != _is_clear(before)
    ]
    return ", ".join(changed) or "change"


def _is_clear(pair: Row) -> bool:
    return pair["p_holm"] is not None and pair["p_holm"] < LEVEL


def robustness_line(result: Result) -> tuple[str, str]:
    """Return the one-line result of the section, and how many analyses are behind it."""
    found = result["robustness"]
    of = found["compared"]
    if not of:
        return "Nothing to compare with", ""
    text = f"The order holds in {_all(found['order_holds'], of)} other analyses, the verdicts in"
    return f"{text} {_all(found['verdicts_hold'], of)}", f"{of} analys{'is' if of == 1 else 'es'}"


def _all(part: int, whole: int) -> str:
    return f"all {whole}" if part == whole else f"{part} of {whole}"


def robustness_findings(result: Result) -> Iterator[Finding]:
    """Yield whether the result depends on choices, with the exceptions."""
    found = result["robustness"]
    if not found["compared"]:
        return
    tests = result["generator_comparisons"]
    if all(abs(test["difference"]["value"] or 0) <= SAME for test in tests):
        # Equal generators have no order that could hold.
        return
    line, _ = robustness_line(result)
    adjusted_for = result["adjusted"]["adjusted_for"]
    changed = [
        choice(row, adjusted_for)
        for row in found["rows"]
        if row["refused"] is None and not (row["order_holds"] and row["verdicts_hold"])
    ]
    if changed:
        more = f"; and {len(changed) - NAMED} others" if len(changed) > NAMED else ""
        line += f". Different: {'; '.join(changed[:NAMED])}{more}"
    yield Finding("note", f"{line}.")


def _sizes(found: Result) -> Table:
    spread, level = rounded(found["standard_deviation"], PLACES), rounded(found["level"], PLACES)
    words = (
        f"Images per generator to find a difference between two generators with {100 * found['power']:.0f}% "
        f"probability, by a two-sided t test at {level}. The standard deviation of images, {spread}, is "
        "estimated from this project; the interval says how uncertain that makes the number."
    )
    if (images := found["images_per_prompt"]) is not None:
        words += (
            " More images of the same prompts say nothing about other prompts: for those, the last columns "
            f"have the number of prompts, each with {images} {'image' if images == 1 else 'images'} of every "
            "generator (mixed model)."
        )
    return table_of(
        "sample_size",
        "Images needed to find a difference",
        words,
        (
            column(partial(number, places=PLACES), "Difference", "difference", "in points of score"),
            column(count, "Images per generator", "images"),
            column(partial(_range, low="low", high="high"), "95% interval", dict),
            column(_prompts, "Prompts", "prompts"),
            column(partial(_range, low="prompts_low", high="prompts_high"), "95% interval, prompts", dict),
        ),
        found["rows"],
    )


def _range(row: Row, low: str, high: str) -> TableCell:
    if row[low] is None:
        return TableCell("–", numeric=True)
    return TableCell(f"{row[low]:,} to {row[high]:,}", numeric=True)


def _prompts(value: int | None) -> TableCell:
    if value is None:
        return TableCell("–", numeric=True, note="the mixed model has no component of generator and prompt")
    return count(value)
