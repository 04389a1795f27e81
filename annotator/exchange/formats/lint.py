"""Find unreadable terms in a sheet, with possible meanings and suggested repairs."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from annotator.exchange.formats.sheet import Sheet, SheetRow
from scoring.grid.notation import read_cell
from scoring.grid.taxonomy import CELLS

_SEVERITY_WORDS: Final = {"mild": "a", "moderate": "b", "severe": "c"}
_SLASHES: Final = str.maketrans(dict.fromkeys("\u2044\u2215\uff0f\u29f8\\|", "/"))
_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE: Final = re.compile(
    r"\d{4}-\d\d?-\d\d?( 00:00:00)?|\d\d?[./-]\d\d?[./-]\d{2,4}"
    rf"|\d\d?[.\s-]*({_MONTHS})[a-z]*\.?|({_MONTHS})[a-z]*[.\s-]*\d\d?",
    re.IGNORECASE,
)
_LONGEST_GUESSED: Final = 200
_ONE: Final = r"[0-9]+\s*/\s*[0-9]+\s*[a-cA-C]"
_SEVERAL: Final = re.compile(rf"{_ONE}(?:[\s;.+&]*{_ONE})+[\s;.]*")
_DECIMALS: Final = re.compile(r"([0-9]+)(?:[.,]0+)?\s*/\s*([0-9]+)(?:[.,]0+)?\s*([a-cA-C])")
_UNKNOWN_SEVERITY: Final = re.compile(r"[0-9]+\s*/\s*[0-9]+\s*[^\W\d_]+")


@dataclass(frozen=True)
class UnreadableTerm:
    """An unreadable term. `suggestion` is the probable term, None if unknown.

    `kind` groups findings by cause; `meaning` explains it.
    """

    row: int
    column: str
    text: str
    kind: str
    reason: str
    meaning: str
    suggestion: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the finding as JSON values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class _Guess:
    kind: str
    meaning: str
    rewrite: Callable[[str], str | None]


def lint(sheet: Sheet) -> tuple[UnreadableTerm, ...]:
    """Return the unreadable terms of the accepted rows, in the order of rows and cells."""
    return tuple(finding for row in sheet.rows for finding in lint_row(row))


def lint_row(row: SheetRow) -> list[UnreadableTerm]:
    """Return the findings of one row."""
    return [
        UnreadableTerm(row.number_in_file, cell.heading, *found)
        for cell in CELLS
        if cell.heading in {problem.column for problem in row.problems}
        for found in _of_cell(row.cells[cell.heading])
    ]


_Found = tuple[str, str, str, str, str | None]
"""Text, kind, reason, meaning, suggestion."""


def _of_cell(text: str) -> list[_Found]:
    return [found for _, found in _pieces(text) if found is not None]


def _pieces(text: str) -> list[tuple[str, _Found | None]]:
    """Return the terms of a cell as written, each with its problem."""
    whole = _DECIMALS.fullmatch(text.strip()) if "," in text else None
    pieces = [text] if whole else text.split(",")
    read = [_term(piece) for piece in pieces]
    severities = Counter(term for term, _ in read if term)
    first: dict[str, str] = {}
    checked: list[tuple[str, _Found | None]] = []
    for piece, (term, found) in zip(pieces, read, strict=True):
        if found is not None:
            found = _checked(found, severities)
        elif term in first:
            found = _repeated(piece, term, first[term])
        else:
            first[term] = piece
        checked.append((piece, found))
    return checked


def _term(piece: str) -> tuple[str, _Found | None]:
    """Return the severity of a well-formed term, or its problem."""
    terms, problems = read_cell(piece)
    if terms and not problems:
        return terms[0].severity, None
    if not problems:
        return "", ("", "empty term", "a term is empty", "a superfluous comma", "")
    reason = problems[0].reason
    text = piece.strip()
    for guess in _GUESSES if len(text) <= _LONGEST_GUESSED else ():
        meant = guess.rewrite(text)
        if meant is not None and meant != text and not read_cell(meant)[1]:
            return "", (text, guess.kind, reason, guess.meaning.format(meant=meant), meant)
    return "", (text, *_hopeless(text, problems[0].code, reason), None)


def _checked(found: _Found, severities: Counter[str]) -> _Found:
    """Return the finding, without its suggestion if the cell has that severity already."""
    meant = found[4]
    if meant and any(severities[term.severity] for term in read_cell(meant)[0]):
        return (*found[:3], f"{found[3]}, but the cell already has this severity", None)
    return found


def _repeated(piece: str, term: str, first: str) -> _Found:
    reason = f"severity {term} twice in this cell"
    if first.split() == piece.split():
        return (piece.strip(), "repeated term", reason, "the same term twice", "")
    meaning = "two terms of one severity: one may replace the other or they may add up"
    return (piece.strip(), "repeated severity", reason, meaning, None)


def _hopeless(text: str, code: str, reason: str) -> tuple[str, str, str]:
    """Return kind, reason and meaning of a term that only the annotator can repair."""
    if len(text) <= _LONGEST_GUESSED and _DATE.fullmatch(text):
        return (
            "date",
            reason,
            "a spreadsheet converted it to a date: perhaps 1/5 or 5/1, and the severity is missing",
        )
    if code == "no_severity":
        return "missing severity", reason, "the severity cannot be guessed"
    if code == "malformed" and len(text) <= _LONGEST_GUESSED and _UNKNOWN_SEVERITY.fullmatch(text):
        return "unknown severity", reason, "severities are a, b and c; the intended one cannot be guessed"
    meanings = {
        "no_total": ("missing total", "the total cannot be guessed"),
        "total_zero": ("total 0", "the intended total cannot be guessed"),
        "leading_zero": ("leading zero", "no error or a typo: it cannot be guessed"),
        "affected_zero": ("affected 0", "no error or a typo: it cannot be guessed"),
        "above_limit": ("number too large", "the intended number cannot be guessed"),
    }
    kind, meaning = meanings.get(code, ("not understood", "no interpretation is certain enough to suggest"))
    return kind, reason, meaning


def _other_characters(text: str) -> str | None:
    folded = unicodedata.normalize("NFKC", text).translate(_SLASHES)
    kept = "".join(each for each in folded if unicodedata.category(each) not in ("Cf", "Cc"))
    return _canonical(kept.strip("'\"`.; "))


def _canonical(text: str) -> str | None:
    squeezed = "".join(text.split())
    terms, problems = read_cell(squeezed)
    return squeezed if terms and not problems else None


def _decimals(text: str) -> str | None:
    match = _DECIMALS.fullmatch(text)
    return f"{match[1]}/{match[2]}{match[3]}" if match else None


def _without_commas(text: str) -> str | None:
    if not _SEVERAL.fullmatch(text):
        return None
    return ",".join("".join(term.split()) for term in re.findall(_ONE, text))


def _twice_the_letter(text: str) -> str | None:
    match = re.fullmatch(r"([0-9]+)\s*([a-cA-C])\s*/\s*([0-9]+)\s*([a-cA-C]?)", text)
    if match is None or (match[4] and match[4].lower() != match[2].lower()):
        return None
    return f"{match[1]}/{match[3]}{match[2]}"


def _letter_first(text: str) -> str | None:
    match = re.fullmatch(r"([a-cA-C])\s*([0-9]+)\s*/\s*([0-9]+)", text)
    return f"{match[2]}/{match[3]}{match[1]}" if match else None


def _other_separator(text: str) -> str | None:
    match = re.fullmatch(r"([0-9]+)\s*(?:of|out of|von|:|-|/+|;|\.)\s*([0-9]+)\s*/?\s*([a-cA-C])", text)
    return f"{match[1]}/{match[2]}{match[3]}" if match else None


def _severity_word(text: str) -> str | None:
    match = re.fullmatch(r"([0-9]+)\s*/\s*([0-9]+)\s*\(?(mild|moderate|severe)\)?", text, re.IGNORECASE)
    return f"{match[1]}/{match[2]}{_SEVERITY_WORDS[match[3].lower()]}" if match else None


def _no_slash(text: str) -> str | None:
    """Split two numbers written together, if only one way is possible."""
    match = re.fullmatch(r"([1-9][0-9]{1,3})([a-cA-C])", text)
    if match is None:
        return None
    parted = [f"{match[1][:place]}/{match[1][place:]}{match[2]}" for place in range(1, len(match[1]))]
    possible = [term for term in parted if not read_cell(term)[1]]
    return possible[0] if len(possible) == 1 else None


def _swapped(text: str) -> str | None:
    match = re.fullmatch(r"([0-9]+)\s*/\s*([0-9]+)\s*([a-cA-C])", text)
    return f"{match[2]}/{match[1]}{match[3]}" if match and int(match[1]) > int(match[2]) else None


def _leading_zeros(text: str) -> str | None:
    match = re.fullmatch(r"0*([1-9][0-9]*)\s*/\s*0*([1-9][0-9]*)\s*([a-cA-C])", text)
    return f"{match[1]}/{match[2]}{match[3]}" if match else None


_GUESSES: Final = (
    _Guess("other characters", "similar-looking characters: {meant}", _other_characters),
    _Guess("decimals", "a spreadsheet converted whole numbers to decimals: {meant}", _decimals),
    _Guess("missing comma", "several terms without a comma: {meant}", _without_commas),
    _Guess("severity twice", "the severity was written after the first number: {meant}", _twice_the_letter),
    _Guess("severity first", "the severity was written first: {meant}", _letter_first),
    _Guess("other separator", "another character instead of the slash: {meant}", _other_separator),
    _Guess("severity in words", "the severity is written out: {meant}", _severity_word),
    _Guess("missing slash", "the slash may be missing: {meant}", _no_slash),
    _Guess("leading zero", "possibly a superfluous zero: {meant}", _leading_zeros),
    _Guess("swapped", "affected and total may be swapped: {meant}", _swapped),
)
