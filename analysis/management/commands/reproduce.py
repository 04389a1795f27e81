"""The printed numbers of Muhr et al. (2024) from the published data, without the code of the reports.

`numbers.csv` is the list. A `check` that begins with `=` names the value that a printed number is compared
with, at the printed precision. Any other is a statement: conditions joined by `;`, each `label: A < B`,
`A > B`, `A ~ B` (within a tenth of the larger) or the name of a value that must exist. `{prompt}`, or
`{prompt -baby}`, stands for every prompt, except that one. `fits` names another value that a number which
does not follow agrees with: a name, `2 NAME` for twice the value, or `cut` for the checked value with the
remaining digits cut off. Texts hold values as `{NAME:.2f}`. Names are looked up; nothing is executed.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, Final, Literal

import krippendorff
import numpy as np
import pandas as pd
from django.core.management.base import BaseCommand, CommandError
from scipy.stats import chi2_contingency, ttest_ind

from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES, SEVERITIES

Line = Mapping[Any, Any]
Value = float | str | None
Values = Mapping[str, Value]
Named = Iterator[tuple[str, Value]]

HERE: Final = Path(__file__).parents[2] / "stats" / "reproduction"
PROMPTS: Final = pd.read_csv(HERE / "prompts.csv", index_col="text")
"""Each prompt's short name, group and named people; the notebook's counts by annotator: judged once, all."""
GENERATORS: Final = ("dall-e3", "sdxl", "stablecascade")
COLUMNS: Final = {"Model": "generator", "Prompt": "text", "Pic Num.": "number", "Annotator": "annotator"}
# The manual's example, an image of which it counts three faces, and the annotation of the same image.
EXAMPLE: Final = pd.Series(["2/2a", "1/4c", "1/3c,1/3b", "1/3b"])
EXAMPLE_IMAGE: Final = ["stablecascade", "physician", "3"]
YES, FITS, NO = "yes", "**no**, fits another", "**no**"
NOT_PRINTED, UNTESTED = "not printed", "cannot be tested"
OVER = {"type": ERROR_TYPES, "part": BODY_PARTS, "prompt": [*PROMPTS["prompt"]], "generator": GENERATORS}
SIGNS = {"<": "<≥", ">": ">≤", "~": "≈≁"}
HEAD: Final = "| Where | What | Printed | From the data | Follows | Explanation |\n|" + " --- |" * 6


def read_study(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the annotations in the study's folder and their marks.

    An annotation has generator, text, prompt (its short name), prompt_group, number, image, annotator, double
    (whether another annotator judged the image too), score, and unread, its terms without a severity. A mark
    has all this of its annotation, and row, cell, type, part, severity, affected, total, fraction and worth.
    Raise OSError if the file cannot be read, ValueError if it is not the published one.
    """
    file = folder / "data" / "annotations.csv"
    sheet = pd.read_csv(file, dtype=str, keep_default_na=False).rename(columns=COLUMNS)
    if {*sheet.get("text", ())} != {*PROMPTS.index}:
        raise ValueError(f"{file} does not have the prompts of the published study")
    rows = sheet[[*COLUMNS.values()]].join(PROMPTS[["prompt", "prompt_group"]], on="text")
    of_image = rows.groupby(["generator", "text", "number"])["annotator"]
    rows = rows.assign(image=of_image.ngroup(), double=of_image.transform("size") > 1)
    cells = sheet[[cell.heading for cell in CELLS]].set_axis(range(len(CELLS)), axis=1)
    marks, unread = _terms(pd.Series(cells.stack()).rename_axis(["row", "cell"]))
    of_cells = pd.DataFrame({"type": cell.error_type, "part": cell.body_part} for cell in CELLS)
    # Rounded, because a band of severity ends at a score: equal ones must be equal.
    rows["score"] = marks.groupby("row")["worth"].sum().reindex(rows.index, fill_value=0).round(12)
    rows["unread"] = unread.groupby("row").sum()
    return rows, marks.reset_index().join(of_cells, on="cell").join(rows, on="row")


def _terms(cells: pd.Series[str]) -> tuple[pd.DataFrame, pd.Series[bool]]:
    """Return the marks written in cells, and which terms are fractions without a severity."""
    texts = cells.str.split(",").explode().str.strip()
    parts = texts.str.extract(r"^(?P<affected>\d+) ?/ ?(?P<total>\d+) ?(?P<severity>[abc])$")
    marks = parts.dropna().astype({"affected": int, "total": int})
    marks["fraction"] = marks["affected"] / marks["total"]
    marks["worth"] = marks["fraction"] * marks["severity"].map(DEFAULT_WEIGHTS).astype(float)
    return marks, texts.str.contains("/") & parts["total"].isna()


def values(rows: pd.DataFrame, marks: pd.DataFrame) -> dict[str, Value]:
    """Return every quantity by name; `x_per_y` is None unless all y have the same number of x.

    `mean.X`, `var.X` (over n − 1), `a.X`, `b.X`, `c.X` (sums of unweighted error fractions), `total.X`
    (their sum) and `share.a.X` (of that sum, per cent) are over the annotations of a generator, prompt or
    prompt group, of one of these and a generator (`salto/sdxl`), of an error type or of a body part;
    `images.…` with one mean score per image. `t.X.Y`, `df.X.Y` and `p.X.Y` are Welch's test.
    """
    same_image = (rows[["generator", "prompt", "number"]] == EXAMPLE_IMAGE).all(axis=1)
    found: dict[str, Value] = {"example": _terms(EXAMPLE)[0]["worth"].sum()}
    found["example.in_data"] = rows.loc[same_image, "score"].mean()
    images = rows.groupby(["image", "generator", "prompt", "prompt_group"])["score"].mean().reset_index()
    groupings = ("generator", "prompt", "prompt_group", "prompt generator", "prompt_group generator")
    for by in map(str.split, groupings):
        for prefix, table in (("", rows), ("images.", images)):
            found |= _by_name(table.groupby(by)["score"].agg(["mean", "var"]), prefix)
    for by in map(str.split, (*groupings, "type", "part")):
        sums = marks.groupby([*by, "severity"])["fraction"].sum().unstack(fill_value=0)
        total = sums.sum(axis=1)
        found |= _by_name(sums.assign(total=total))
        found |= _by_name(100 * sums.div(total, axis=0), "share.")
    found |= _by_name(marks.groupby("type")["worth"].sum().to_frame("mean") / len(rows))
    found |= _by_name(marks.groupby("part")["total"].max().to_frame("most"))
    tests = (*_tests(rows, ""), *_tests(images, "images."))
    return {**found, **dict(tests), **dict(_design(rows, marks)), **dict(_alphas(rows, marks))}


def _by_name(table: pd.DataFrame, prefix: str = "") -> Named:
    """Yield each number of a table, as `COLUMN.NAME` or `COLUMN.NAME/NAME`."""
    for names, numbers in zip(table.index, table.to_dict("records"), strict=True):
        name = "/".join(names) if isinstance(names, tuple) else names
        yield from ((f"{prefix}{column}.{name}", number) for column, number in numbers.items())


def _tests(table: pd.DataFrame, prefix: str) -> Named:
    for column, names in (("generator", GENERATORS), ("prompt", ("sunbathing", "baby"))):
        for a, b in permutations(names, 2):
            test = ttest_ind(*(table.loc[table[column] == name, "score"] for name in (a, b)), equal_var=False)
            for kind, number in {"t": test.statistic, "df": test.df, "p": test.pvalue}.items():
                yield f"{prefix}{kind}.{a}.{b}", float(number)


def _design(rows: pd.DataFrame, marks: pd.DataFrame) -> Named:
    yield from (("error_types", len(ERROR_TYPES)), ("body_parts", len(BODY_PARTS)), ("cells", len(CELLS)))
    yield from (("severities", len(SEVERITIES)), ("marks", len(marks)), ("unreadable", rows["unread"].sum()))
    yield "weights", ", ".join(f"{float(DEFAULT_WEIGHTS[severity]):g}" for severity in SEVERITIES)
    cells = marks.groupby(["row", "cell"]).agg({"affected": "sum", "total": ["min", "max"]}).to_numpy()
    yield "cells_above_total", (cells[:, 0] > cells[:, 2]).sum()
    yield "cells_of_two_totals", (cells[:, 1] < cells[:, 2]).sum()
    images, double = rows.drop_duplicates("image"), rows[rows["double"]]
    once, twice = images[~images["double"]], images[images["double"]]
    # A doubly annotated image has two annotators: `shared` are its annotations.
    tables = {"images": images, "single": once, "double": twice, "shared": double, "annotations": rows}
    for name, table in tables.items():
        yield name, len(table)
        for by in ("generator", "prompt", "generator_prompt", "annotator", "annotator_generator"):
            sizes = {*table.groupby(by.split("_")).size()}
            yield f"{name}_per_{by}", sizes.pop() if len(sizes) == 1 else None
    yield "percent_double", 100 * len(twice) / len(images)
    yield from ((f"{name}s", rows[name].nunique()) for name in ("generator", "prompt", "annotator"))
    people = PROMPTS["people"]
    yield from (("most_prompted", people.max()), ("prompts_naming_five", (people == 5).sum()))
    counts = pd.crosstab(rows["prompt"], rows["annotator"]).to_numpy()
    yield from zip(("chi2", "chi2_p", "chi2_df"), chi2_contingency(counts), strict=False)
    yield from (("fewest_of_prompt", counts.min()), ("most_of_prompt", counts.max()))
    # The notebook does not say which of its annotators is which: the most counts that agree.
    for kind, table in {"single": rows[~rows["double"]], "all": rows}.items():
        ours = pd.crosstab(table["text"], table["annotator"]).loc[PROMPTS.index].to_numpy()
        printed = np.array([texts.split() for texts in PROMPTS[kind]], dtype=int)
        yield f"notebook.{kind}", max((np.stack(order) == printed.T).sum() for order in permutations(ours.T))


def _alphas(rows: pd.DataFrame, marks: pd.DataFrame) -> Named:
    """Yield Krippendorff's alpha of each pair of annotators, `KIND.anno1.anno2`, and the mean, `alpha.KIND`.

    Scores are compared at the interval level; bands at the ordinal one, cut at the quantiles of each
    annotator's scores of the shared images (as in the study) or of all images; marks of the 25 cells, and of
    the five face cells that the authors' script keeps, at the nominal one.
    """
    marked = pd.crosstab(marks["row"], marks["cell"]).reindex(rows.index, fill_value=0).to_numpy() > 0
    all_bands = rows.groupby("annotator")["score"].transform(_bands).to_numpy()
    pairs = pd.DataFrame()
    for a, b in combinations(sorted({*rows["annotator"]}), 2):
        judged = rows[rows["annotator"].isin([a, b])].sort_values(["annotator", "image"])
        places = judged.index[judged.duplicated("image", keep=False)].to_numpy().reshape(2, -1)
        scores, cells = rows["score"].to_numpy()[places], marked[places]
        pairs[f"{a}.{b}"] = {
            "shared": places.shape[1],
            "cumulative_score": _alpha(scores, "interval"),
            "overall_severity": _alpha([_bands(own) for own in scores], "ordinal"),
            "severity_all_images": _alpha(all_bands[places], "ordinal"),
            "cells": _alpha(cells.reshape(2, -1), "nominal"),
            "faces": _alpha(cells[..., len(BODY_PARTS) - 1 :: len(BODY_PARTS)].reshape(2, -1), "nominal"),
        }
    yield from _by_name(pairs.T)
    over_pairs = pairs.T.agg(["mean", "min", "max"]).T
    yield from _by_name(over_pairs.set_axis(["alpha", "least", "most"], axis=1))


def _bands(scores: Any) -> Any:
    """Return 0 (at most the median), 1 (at most the upper quartile) or 2; quantiles of type 7."""
    return np.searchsorted(np.quantile(scores, [0.5, 0.75]), scores)


def _alpha(pair: Any, level: Literal["nominal", "ordinal", "interval"]) -> float:
    return float(krippendorff.alpha(np.asarray(pair, dtype=float), level_of_measurement=level))


def printed_numbers(found: Values) -> list[Line]:
    """Return the lines of the list, checked."""
    listed = pd.read_csv(HERE / "numbers.csv", dtype=str, keep_default_na=False)
    return [checked(line, found) for line in listed.to_dict("records")]


def checked(line: Line, found: Values) -> Line:
    """Return a line with `outcome` and `computed`, its explanation filled in."""
    check, printed, fits = line["check"], line["printed"], line["fits"]
    outcome, computed = UNTESTED, ""
    if check.startswith("="):
        value = found.get(check[1:])
        computed = _shown(value, _format(printed or "0.00", 3))
        cut = fits == "cut" and computed.startswith(printed.partition("E")[0])
        other = FITS if cut or agrees(printed, value_of(fits, found)) else NO
        outcome = (YES if agrees(printed, value) else other) if printed else NOT_PRINTED
    elif check:
        conditions = [_condition(text.strip(), found) for text in check.split(";")]
        outcome = YES if all(holds for holds, _ in conditions) else NO
        computed = "; ".join(text for _, text in conditions)
    line = {**line, "explanation": filled(line["explanation"], found)}
    return {**line, "outcome": outcome, "computed": computed}


def reproduction(rows: pd.DataFrame, marks: pd.DataFrame) -> str:
    """Return the whole page as Markdown."""
    found = values(rows, marks)
    lines = printed_numbers(found)
    found["tested"] = sum(line["outcome"] in (YES, FITS, NO) for line in lines)
    for line in lines:
        part, outcome, printed = line["part"], line["outcome"], _signed(line["printed"])
        found[f"count {outcome}"] = sum(other["outcome"] == outcome for other in lines)
        row = (line["place"], line["quantity"], printed, line["computed"], outcome, line["explanation"])
        found[part] = f"{found.get(part, HEAD)}\n| {' | '.join(row)} |"
    return filled((HERE / "page.md").read_text(encoding="utf-8"), found)


def filled(text: str, found: Values) -> str:
    """Return a text with the values in place of `{NAME:FORMAT}`; a dash for an unknown one."""
    return re.sub(r"\{([^{}:]+):([^{}]+)\}", lambda hole: _shown(value_of(hole[1], found), hole[2]), text)


def value_of(name: str, found: Values) -> Value:
    """Return the value of a name, of `2 NAME` or of a number; None if there is none."""
    times, _, name = ("", "", name) if name in found else name.rpartition(" ")
    value = found.get(name, float(name) if re.fullmatch(r"[0-9.]+", name) else None)
    return value if isinstance(value, str | None) else float(times or 1) * value


def agrees(printed: str, value: Value) -> bool:
    """Return whether a value, rounded to the printed digits, equals the printed number or text."""
    return value is not None and _shown(value, _format(printed)) == _signed(printed)


def _format(printed: str, more: int = 0) -> str:
    """Return the format of a printed number, with `more` digits."""
    digits, exponent, _ = printed.partition("E")
    places = len(digits.partition(".")[2])
    return f".{places + more}E" if exponent else f".{places + more if places else 0}f"


def _condition(text: str, found: Values) -> tuple[bool, str]:
    """Return whether a condition holds, and the numbers that show it."""
    label, colon, text = text.rpartition(": ")
    every = re.search(r"\{(\w+)(?: -([^{}]+))?\}", text)
    if every is None:
        holds, shown = _compared(text, found)
        return holds, f"{label}{colon}{shown}"
    names = [name for name in OVER[every[1]] if name not in (every[2] or "").split(",")]
    results = {name: _compared(re.sub(r"\{[^{}]+\}", name, text), found) for name in names}
    against = ", ".join(f"{name} {shown}" for name, (holds, shown) in results.items() if not holds)
    kept = f"{sum(holds for holds, _ in results.values())} of {len(names)}"
    return not against, f"{label}{colon}{kept}{against and f' (not {against})'}"


def _compared(text: str, found: Values) -> tuple[bool, str]:
    name, sign, other = [*text.split(), "", ""][:3]
    a, b = value_of(name, found), value_of(other, found)
    if not sign or not isinstance(a, float) or not isinstance(b, float):
        return a is not None and not sign, "–" if sign else _shown(a)
    holds = {"<": a < b, ">": a > b, "~": abs(a - b) <= max(abs(a), abs(b)) / 10}[sign]
    return holds, f"{_shown(a)} {SIGNS[sign][not holds]} {_shown(b)}"


def _shown(value: Value, form: str = "") -> str:
    form = form or (".0f" if isinstance(value, float) and value.is_integer() else ".2f")
    return _signed(f"{value:{form}}") if isinstance(value, float | int) else str(value or "–")


def _signed(text: str) -> str:
    return re.sub(r"E-0?", "E-", text).replace("-", "−")


class Command(BaseCommand):
    """`manage.py reproduce FOLDER > docs/reference/reproduction.md`."""

    help = "Compare every number of the published study with ours, computed from the study's folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the folder."""
        parser.add_argument("folder", type=Path, help="a copy of the study's repository")

    def handle(self, *, folder: Path, **_: Any) -> None:
        """Print the page; raise CommandError if the folder does not have the study."""
        try:
            self.stdout.write(reproduction(*read_study(folder)), ending="")
        except (OSError, ValueError) as error:
            raise CommandError(str(error)) from error
