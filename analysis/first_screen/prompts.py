"""The page of prompts: which is hardest, how sure that is, and each generator on each prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from analysis.first_screen.basis import ENOUGH, FEWEST, Result, Scored
from analysis.first_screen.conclusions import Conclusion
from analysis.first_screen.ranking import Tick, axis_of, share_of
from analysis.tables.comparison.finding import LEVEL, adjusted_prompts, is_clear, skewed_over
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, by_chance, counted, limits, listed
from scoring.prompts import prompt_key

MOST: Final = 60
"""Prompts on the page, those with the most errors; the comparison's file has all."""
FIRST: Final = 15
"""Prompts that are open; more of them are folded, so that the page stays within three screens."""
COLUMNS: Final = 8
"""Generators with a column of their own; with more of them, the comparison's figure has all."""
SHADES: Final = 5
NAMED: Final = 3


@dataclass(frozen=True)
class Cell:
    """A generator's mean on a prompt; `shade` is 0 (none) to 4 of the largest mean on the page.

    `interval` is the number of images where they are too few for one.
    """

    value: str
    interval: str
    shade: int
    link: str


@dataclass(frozen=True)
class PromptRow:
    """A prompt with its mean; positions in percent of the axis, `low` and `high` empty without an interval.

    `other` is the mean that does not lead, adjusted or raw; empty without one.
    `link` and those of the cells are filters of the gallery, `beside` shows its generators side by side.
    """

    prompt: str
    images: int
    value: str
    interval: str
    other: str
    other_interval: str
    at: str
    low: str
    high: str
    few: bool
    cells: Sequence[Cell]
    link: str
    beside: str


@dataclass(frozen=True)
class PromptsPage:
    """Prompts from the highest to the lowest mean, which `measure` names.

    `rows` are open, `further` folded, `left_out` not shown. `other` names the mean beside it, if any.
    """

    heading: str
    lede: str
    measure: str
    other: str
    conclusions: Sequence[Conclusion]
    generators: Sequence[str]
    rows: Sequence[PromptRow]
    further: Sequence[PromptRow]
    ticks: Sequence[Tick]
    left_out: int
    fewest: int = FEWEST
    """Images below which a mean has no interval."""


def prompts_page(result: Result) -> PromptsPage | None:
    """Return the page of a comparison's result, of any protocol; None if it has no means of prompts."""
    # Other protocols have neither adjusted means nor a table of balance.
    raw, adjusted = _means(result), {} if "tables" in result else adjusted_prompts(result)
    if not raw:
        return None
    sizes = {one.generator: one.n for one in raw}
    raw = [replace(one, mean=_bounded(one.mean, one.n)) for one in raw]
    adjusted = {name: _bounded(mean, sizes[name]) for name, mean in adjusted.items() if name in sizes}
    # As with generators, raw means are partly differences between annotators where balance is skewed.
    leads = bool(adjusted and skewed_over(result))
    of_raw = {one.generator: one.mean for one in raw}
    means = _ordered(replace(one, mean=adjusted[one.generator]) for one in raw if one.generator in adjusted)
    means, beside = (means, of_raw) if leads else (raw, adjusted)
    step, top = axis_of([one.mean for one in means[:MOST]])
    names, cells = _crossed(result)
    ticks = [
        Tick(share_of(place * step, top), f"{round(place * step, 6):g}")
        for place in range(round(top / step) + 1)
    ]
    rows = [_row(one, cells.get(one.generator, ()), top, beside.get(one.generator)) for one in means[:MOST]]
    first = FIRST if len(rows) > FIRST + 1 else len(rows)
    return PromptsPage(
        heading=_adjusted_heading(means) if leads else _heading(result, means),
        lede=_lede(means, "Adjusted mean" if leads else "Mean", of_errors="tables" not in result),
        measure="Adjusted mean per image" if leads else "Mean per image",
        other=("Raw mean" if leads else "Adjusted mean") if beside else "",
        conclusions=list(_conclusions(result, means, leads)),
        generators=names,
        rows=rows[:first],
        further=rows[first:],
        ticks=ticks,
        left_out=len(raw) - len(rows),
    )


def _means(result: Result) -> list[Scored]:
    """Return prompts with a mean, most errors first; `generator` of each is the prompt."""
    if "tables" in result:
        table = next((each for each in result["tables"] if each["name"] == "prompts"), None)
        columns = [each["name"] for each in table["columns"]] if table else []
        rows = [dict(zip(columns, row, strict=True)) for row in table["rows"]] if table else []
        found = [Scored(row["prompt"], row["images"], row["mean"]) for row in rows]
    else:
        found = [Scored(row["prompt"], row["images"], row["image_mean"]) for row in result["prompts"]]
    return _ordered(found)


def _ordered(found: Iterable[Scored]) -> list[Scored]:
    known = [one for one in found if one.mean["value"] is not None]
    return sorted(known, key=lambda one: (-one.mean["value"], one.generator))


def _crossed(result: Result) -> tuple[list[str], dict[str, Sequence[Cell]]]:
    """Return the generators, fewest errors first, and prompt → their cells; none if there are too many."""
    names = list(result.get("weights", {}).get("ranking", ()))
    rows = result.get("generators_by_prompt", {}).get("prompts", ())
    if not 1 < len(names) <= COLUMNS:
        return [], {}
    there = [each["mean"]["value"] for row in rows for each in row["generators"]]
    most = max([value for value in there if value is not None], default=0.0)
    found: dict[str, Sequence[Cell]] = {}
    for row in rows:
        own = {each["generator"]: each["mean"] for each in row["generators"]}
        found[row["prompt"]] = [_cell(row["prompt"], name, own.get(name), most) for name in names]
    return names, found


def _cell(prompt: str, generator: str, mean: Mapping[str, Any] | None, most: float) -> Cell:
    if mean is None or mean["value"] is None:
        return Cell("–", "", 0, "")
    shade = min(int(SHADES * mean["value"] / most), SHADES - 1) if most > 0 else 0
    few = mean["n_units"] < FEWEST
    interval = counted(mean["n_units"], "image") if few else _interval(mean)
    named = prompt and generator
    link = urlencode({"prompt": prompt_key(prompt), "generator": generator}) if named else ""
    return Cell(_two(mean["value"]), interval, shade, link)


def _row(one: Scored, cells: Sequence[Cell], top: float, other: Mapping[str, Any] | None) -> PromptRow:
    mean, bare = one.mean, one.mean["low"] is None
    prompt = one.generator
    return PromptRow(
        prompt=prompt,
        images=one.n,
        value=_two(mean["value"]),
        interval=_interval(mean),
        other=_two(other["value"]) if other else "",
        other_interval=_interval(other) if other else "",
        at=share_of(mean["value"], top),
        low="" if bare else share_of(mean["low"], top),
        high="" if bare else share_of(mean["high"], top),
        few=one.n < ENOUGH,
        cells=cells,
        link=urlencode({"prompt": prompt_key(prompt)}) if prompt else "",
        beside=urlencode({"view": "compare", "prompt": prompt_key(prompt)}) if prompt and cells else "",
    )


def _bounded(mean: Mapping[str, Any], images: int) -> Mapping[str, Any]:
    """Return a mean without the interval for which it has too few images, as in a comparison."""
    if images >= FEWEST:
        return mean
    return {**mean, "low": None, "high": None, "refused": f"too few: {images} of {FEWEST}"}


def _interval(mean: Mapping[str, Any]) -> str:
    return limits(mean) or mean["refused"] or ""


def _tests(result: Result) -> Mapping[str, Any]:
    found: Mapping[str, Any] = result.get("group_tests", {}).get("prompts", {})
    return found


def _hardest(result: Result, means: Sequence[Scored]) -> list[str]:
    """Return the prompts with more errors than all others, each clearly (Holm); empty if there are none."""
    tests = _tests(result).get("pairs", ())
    clear = {frozenset((test["a"], test["b"])) for test in tests if is_clear(test)}
    names = [one.generator for one in means]
    for end in range(1, min(NAMED, len(names) - 1) + 1):
        if all(frozenset((one, other)) in clear for one in names[:end] for other in names[end:]):
            return names[:end]
    return []


def _heading(result: Result, means: Sequence[Scored]) -> str:
    if len(means) == 1:
        return "There is one prompt"
    hardest = _hardest(result, means)
    if hardest:
        are = "is the hardest prompt" if len(hardest) == 1 else "are the hardest prompts"
        return f"{listed([_quoted(name) for name in hardest])} {are}"
    # From the pairs, as the first conclusion is.
    if not _are_tested(tests := _tests(result)):
        return f"{_quoted(means[0].generator)} has the highest mean"
    return (
        "Some prompts are harder than others"
        if tests["clear"]
        else "No prompt is clearly harder than another"
    )


def _are_tested(tests: Mapping[str, Any]) -> bool:
    return bool(tests) and tests["refused"] is None and tests["tested"] > 0


def _adjusted_heading(means: Sequence[Scored]) -> str:
    """Name the highest adjusted mean; tests of prompts compare raw means and say nothing about it."""
    return f"{_quoted(means[0].generator)} has the highest adjusted mean"


def _lede(means: Sequence[Scored], measure: str, *, of_errors: bool) -> str:
    first, last = means[0], means[-1]
    high = f"{_quoted(first.generator)}, {_two(first.mean['value'])}"
    if len(means) == 1:
        return f"{measure} per image: {high}."
    more = " A higher mean means more errors." if of_errors else ""
    return (
        f"{measure} per image over all generators, from {high}, to {_quoted(last.generator)}, "
        f"{_two(last.mean['value'])}.{more}"
    )


def _conclusions(result: Result, means: Sequence[Scored], adjusted: bool) -> Iterator[Conclusion]:
    tests = _tests(result)
    if adjusted:
        over = " and ".join(skewed_over(result))
        rest = f"for {over}, over which the prompts are spread unevenly; they are not tested."
        yield Conclusion("look", "Adjusted", "Means are adjusted", rest)
    elif _are_tested(tests):
        yield _pairs(tests)
    elif len(means) > 1:
        yield Conclusion("look", "Not tested", "Whether prompts differ", "was not tested.")
    yield from _interaction(result)
    lowest = _lowest(result)
    if lowest:
        yield lowest
    if len(means) > 1:
        rest = "The comparison says whether the generators differ on other prompts too."
        yield Conclusion("look", "Limited", f"These {counted(len(means), 'prompt')} only.", rest)


def _pairs(tests: Mapping[str, Any]) -> Conclusion:
    of = f"of {counted(tests['tested'], 'pair')} of prompts"
    if not tests["clear"]:
        return Conclusion("look", "Inconclusive", "No two prompts", f"differ clearly, {of}.")
    differ = "differs" if tests["clear"] == 1 else "differ"
    return Conclusion("fine", "Clear", f"{tests['clear']:,} {of}", f"{differ} clearly.")


def _interaction(result: Result) -> Iterator[Conclusion]:
    test = result.get("generators_by_prompt", {}).get("interaction")
    if not test or test["p"] is None:
        return
    chance = by_chance(test["p"])
    if test["p"] < LEVEL:
        rest = f"on the prompt. Chance alone would do that {chance}."
        yield Conclusion("fine", "Clear", "How far generators differ depends", rest)
    else:
        rest = f"on the prompt: chance alone would give such differences {chance}."
        yield Conclusion("look", "Inconclusive", "How far generators differ may or may not depend", rest)


def _lowest(result: Result) -> Conclusion | None:
    """Return which generator has the lowest mean on most prompts; the means may differ by chance."""
    rows = result.get("generators_by_prompt", {}).get("prompts", ())
    best: dict[str, int] = {}
    compared = 0
    for row in rows:
        known = [each for each in row["generators"] if each["mean"]["value"] is not None]
        if len(known) < 2:
            continue
        compared += 1
        least = min(each["mean"]["value"] for each in known)
        for each in known:
            if each["mean"]["value"] == least:
                best[each["generator"]] = best.get(each["generator"], 0) + 1
    if not best or not compared:
        return None
    most = max(best.values())
    names = [name or "(none)" for name in best if best[name] == most]
    if len(names) > NAMED:
        return None
    has = "has" if len(names) == 1 else "each have"
    of = counted(compared, "prompt")
    rest = f"{has} the lowest mean on {most} of {of}; single means may differ by chance."
    return Conclusion("look", "By count", listed(names), rest)


def _quoted(name: str) -> str:
    return f"“{name}”" if name else "(no prompt)"


def _two(value: float) -> str:
    return rounded(value, PLACES)
