"""The list of printed numbers and statements, and whether each follows from the data.

`numbers.csv` is the list. A `check` that begins with `=` names the value that a printed number is compared
with, at the printed precision; one that begins with `#`, our figure of the same contents. Any other is a
statement: conditions joined by `;`, each `label: A < B`, `A > B`, `A ~ B` (within a tenth of the larger) or a
key that must have a value. `{prompt}`, or `{prompt -baby}`, stands for every prompt, except that one. `fits`
names another value that a number which does not follow agrees with: a key, `2 KEY` for twice the value, or
`cut` for the checked value with the remaining digits cut off. `explanation` may hold values, `{key:.2f}`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final

from analysis.stats.reproduction.tables import signed
from analysis.stats.reproduction.values import Values

LIST: Final = Path(__file__).with_name("numbers.csv")
_HOLE: Final = re.compile(r"\{([^{}:]+):([^{}]+)\}")
_VARIABLE: Final = re.compile(r"\{(\w+)(?: -([^{}]+))?\}")
_COMPARED: Final = re.compile(r"(\S+) ([<>~]) (\S+)")


class Outcome(Enum):
    """Whether a printed number or statement follows from the published data."""

    YES = "yes"
    FITS_ANOTHER = "**no**, fits another"
    NO = "**no**"
    NOT_PRINTED = "not printed"
    NOT_TESTABLE = "cannot be tested"


@dataclass(frozen=True)
class Printed:
    """One line of the list, in our own words."""

    part: str
    place: str
    quantity: str
    printed: str
    check: str
    fits: str
    explanation: str

    @property
    def figure(self) -> str:
        """Return the slug of our figure of the same contents; empty for a number or statement."""
        return self.check.removeprefix("#") if self.check.startswith("#") else ""


@dataclass(frozen=True)
class Checked:
    """A line with what the data say."""

    line: Printed
    outcome: Outcome
    computed: str
    explanation: str


@cache
def printed_numbers() -> tuple[Printed, ...]:
    """Return the list in order."""
    with LIST.open(newline="", encoding="utf-8") as file:
        return tuple(Printed(**row) for row in csv.DictReader(file))


def check_all(found: Values, over: Mapping[str, Sequence[str]]) -> list[Checked]:
    """Return every line but the figures, checked; `over` holds the names a `{variable}` stands for."""
    return [_checked(line, found, over) for line in printed_numbers() if not line.figure]


def _checked(line: Printed, found: Values, over: Mapping[str, Sequence[str]]) -> Checked:
    outcome, computed = Outcome.NOT_TESTABLE, ""
    if line.check.startswith("="):
        value = found.get(line.check[1:])
        computed = _unrounded(line.printed, value)
        outcome = _of_number(line, value, found)
    elif line.check:
        parts = [_condition(text.strip(), found, over) for text in line.check.split(";")]
        outcome = Outcome.YES if all(holds for holds, _ in parts) else Outcome.NO
        computed = "; ".join(said for _, said in parts)
    return Checked(line, outcome, computed, _filled(line.explanation, found))


def agrees(printed: str, value: float | str | None) -> bool:
    """Return whether a value, rounded to the printed digits, equals the printed number or text."""
    if value is None or isinstance(value, str):
        return value == printed
    return f"{value:{_format(printed)}}" == printed


def _format(printed: str, more: int = 0) -> str:
    """Return the format of a printed number, with `more` digits."""
    digits, exponent = printed.partition("E")[::2]
    places = len(digits.partition(".")[2])
    if exponent:
        return f".{places + more}E"
    return f".{places + more if places else 0}f"


def _of_number(line: Printed, value: float | str | None, found: Values) -> Outcome:
    if not line.printed:
        return Outcome.NOT_PRINTED
    # Python writes an exponent of two digits.
    printed = re.sub(r"E-(\d)$", r"E-0\1", line.printed)
    if agrees(printed, value):
        return Outcome.YES
    return Outcome.FITS_ANOTHER if line.fits and _fits(line.fits, printed, value, found) else Outcome.NO


def _fits(fits: str, printed: str, value: float | str | None, found: Values) -> bool:
    if fits == "cut":
        exact = Decimal(printed)
        return isinstance(value, float) and Decimal(value).quantize(exact, ROUND_DOWN) == exact
    times, _, key = fits.rpartition(" ")
    other = found.get(key)
    return isinstance(other, float) and agrees(printed, float(times or 1) * other)


def _unrounded(printed: str, value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or "–"
    return _signed(f"{value:{_format(printed or '0.00', 3)}}")


def _condition(text: str, found: Values, over: Mapping[str, Sequence[str]]) -> tuple[bool, str]:
    """Return whether a condition holds, and the numbers that show it."""
    label, _, text = text.rpartition(": ")
    label = f"{label}: " if label else ""
    names = _VARIABLE.search(text)
    if names is None:
        holds, said = _compared(text, found)
        return holds, label + said
    left_out = (names[2] or "").split(",")
    every = [name for name in over.get(names[1], ()) if name not in left_out]
    results = [(name, *_compared(_VARIABLE.sub(name, text), found)) for name in every]
    against = [f"{name} {said}" for name, holds, said in results if not holds]
    kept = f"{len(results) - len(against)} of {len(results)}"
    return bool(results) and not against, label + kept + (f" (not {', '.join(against)})" if against else "")


def _compared(text: str, found: Values) -> tuple[bool, str]:
    compared = _COMPARED.fullmatch(text)
    if compared is None:
        value = found.get(text)
        return value is not None, _as_text(value)
    a, sign, b = (_value(compared[1], found), compared[2], _value(compared[3], found))
    if a is None or b is None:
        return False, "–"
    close = abs(a - b) <= max(abs(a), abs(b)) / 10
    holds = {"<": a < b, ">": a > b, "~": close}[sign]
    shown = sign if holds else {"<": "≥", ">": "≤", "~": "≁"}[sign]
    return holds, f"{_as_text(a)} {shown.replace('~', '≈')} {_as_text(b)}"


def _value(text: str, found: Values) -> float | None:
    if text.replace(".", "").isdigit():
        return float(text)
    value = found.get(text)
    return None if isinstance(value, str) else value


def _as_text(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or "–"
    return _signed(f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}")


def _filled(text: str, found: Values) -> str:
    def number(hole: re.Match[str]) -> str:
        value = found.get(hole[1])
        return "–" if value is None else _signed(f"{value:{hole[2]}}")

    return _HOLE.sub(number, text)


def _signed(text: str) -> str:
    return signed(re.sub(r"E-0?", "E-", text))
