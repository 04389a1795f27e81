"""The list of printed numbers and statements, whether each follows from the data, and the page that says so.

`numbers.csv` is the list. A `check` that begins with `=` names the value that a printed number is compared
with, at the printed precision. Any other is a statement: conditions joined by `;`, each `label: A < B`,
`A > B`, `A ~ B` (within a tenth of the larger) or the name of a value that must exist. `{prompt}`, or
`{prompt -baby}`, stands for every prompt, except that one. `fits` names another value that a number which
does not follow agrees with: a name, `2 NAME` for twice the value, or `cut` for the checked value with the
remaining digits cut off. Texts hold values as `{NAME:.2f}`. Names are looked up; nothing is executed.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from decimal import ROUND_DOWN, Decimal
from pathlib import Path
from typing import Final

import pandas as pd

from analysis.stats.reproduction.values import GENERATORS, PROMPTS, Value, values
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES

Line = dict[str, str]
Values = Mapping[str, Value]

HERE: Final = Path(__file__).parent
YES, FITS, NO = "yes", "**no**, fits another", "**no**"
NOT_PRINTED, UNTESTED = "not printed", "cannot be tested"
OVER = {"type": ERROR_TYPES, "part": BODY_PARTS, "prompt": [*PROMPTS["short"]], "generator": GENERATORS}
SIGNS = {"<": "<≥", ">": ">≤", "~": "≈≁"}
HEAD: Final = ("Where", "What", "Printed", "From the data", "Follows", "Explanation")


def printed_numbers(found: Values) -> list[Line]:
    """Return the lines of the list, checked."""
    with (HERE / "numbers.csv").open(newline="", encoding="utf-8") as file:
        return [checked(line, found) for line in csv.DictReader(file)]


def checked(line: Line, found: Values) -> Line:
    """Return a line with `outcome` and `computed`, its explanation filled in."""
    outcome, computed = UNTESTED, ""
    if line["check"].startswith("="):
        value = found.get(line["check"][1:])
        outcome = _outcome(line["printed"], line["fits"], value, found)
        computed = _shown(value, _format(line["printed"] or "0.00", 3))
    elif line["check"]:
        conditions = [_condition(text.strip(), found) for text in line["check"].split(";")]
        outcome = YES if all(holds for holds, _ in conditions) else NO
        computed = "; ".join(text for _, text in conditions)
    explanation = filled(line["explanation"], found)
    return {**line, "outcome": outcome, "computed": computed, "explanation": explanation}


def reproduction(rows: pd.DataFrame, marks: pd.DataFrame) -> str:
    """Return the whole page as Markdown."""
    found = values(rows, marks)
    lines = printed_numbers(found)
    found["tested"] = sum(line["outcome"] in (YES, FITS, NO) for line in lines)
    for line in lines:
        part, outcome, printed = line["part"], line["outcome"], _signed(line["printed"])
        named = f"{line['quantity']}{printed and ': '}{printed} ({line['place'] or part})"
        found[f"list {outcome}"] = f"{found.get(f'list {outcome}', '')}\n  - {named}"
        found[f"count {outcome}"] = sum(other["outcome"] == outcome for other in lines)
        row = (line["place"], line["quantity"], printed, line["computed"], outcome, line["explanation"])
        head = f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}"
        found[part] = f"{found.get(part, head)}\n| {' | '.join(row)} |"
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


def _outcome(printed: str, fits: str, value: Value, found: Values) -> str:
    if not printed or agrees(printed, value):
        return YES if printed else NOT_PRINTED
    if fits == "cut" and isinstance(value, float):
        exact = Decimal(printed)
        return FITS if Decimal(value).quantize(exact, ROUND_DOWN) == exact else NO
    return FITS if fits and agrees(printed, value_of(fits, found)) else NO


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
        return a is not None and not sign, "–" if sign else _brief(a)
    holds = {"<": a < b, ">": a > b, "~": abs(a - b) <= max(abs(a), abs(b)) / 10}[sign]
    return holds, f"{_brief(a)} {SIGNS[sign][not holds]} {_brief(b)}"


def _brief(value: Value) -> str:
    return _shown(value, ".0f" if isinstance(value, float) and value.is_integer() else ".2f")


def _shown(value: Value, form: str) -> str:
    return _signed(f"{value:{form}}") if isinstance(value, float | int) else str(value or "–")


def _signed(text: str) -> str:
    return re.sub(r"E-0?", "E-", text).replace("-", "−")
