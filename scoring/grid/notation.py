"""The notation of one cell: `affected/total` and a severity letter, comma separated: `1/4b,2/4c`.

Grammar, ASCII only:

    cell   = blanks | term *( "," term )
    term   = number "/" number letter       blanks (spaces, tabs) allowed around each of the four
    number = "0" | nonzero *digit           no sign, no leading zero, at most 99
    letter = "a" | "b" | "c" | "A" | "B" | "C"

with 1 <= affected <= total and each severity at most once in a cell. A leading zero is refused, not
dropped: `0/04b` is more likely a typo than a number. Terms are returned in order of severity. Since each
severity occurs once, their written order has no meaning, and `format_cell` and `parse_cell` are inverse
on the results of `parse_cell`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from scoring.grid.taxonomy import SEVERITIES, Cell, parts_in_words

LARGEST_COUNT: Final = 99

_BLANKS: Final = " \t"
# Explicit character classes: \d and \s would accept the digits and spaces of every script.
_TERM: Final = re.compile(r"([0-9]+)[ \t]*/[ \t]*([0-9]+)[ \t]*([a-cA-C])")
_WITHOUT_SEVERITY: Final = re.compile(r"[0-9]+[ \t]*/[ \t]*[0-9]+")
_WITHOUT_TOTAL: Final = re.compile(r"[0-9]+[ \t]*(?:/[ \t]*)?[a-cA-C]?")
_SHOWN_CHARACTERS: Final = 40


@dataclass(frozen=True)
class Term:
    """`affected` of `total` body parts show an error of one `severity` (`a`, `b` or `c`).

    Raises ValueError unless 1 <= affected <= total <= 99 and the severity exists.
    """

    affected: int
    total: int
    severity: str

    def __post_init__(self) -> None:
        if not 1 <= self.affected <= self.total <= LARGEST_COUNT:
            raise ValueError(f"no such fraction of body parts: {self.affected}/{self.total}")
        if self.severity not in SEVERITIES:
            raise ValueError(f"no such severity: {self.severity!r}")


@dataclass(frozen=True)
class CellProblem:
    """An unreadable term as written (the whole cell for an empty term), and the reason."""

    text: str
    code: str
    reason: str


@dataclass(frozen=True)
class CellWarning:
    """An unusual entry in a well-formed cell, which is kept."""

    code: str
    message: str


class NotationError(ValueError):
    """A cell that does not follow the notation; names the `term`, a `code` and the `reason`."""

    def __init__(self, term: str, code: str, reason: str) -> None:
        shown = term if len(term) <= _SHOWN_CHARACTERS else term[:_SHOWN_CHARACTERS] + "…"
        super().__init__(f"“{shown}”: {reason}")
        self.term = term
        self.code = code
        self.reason = reason


def parse_cell(text: str) -> tuple[Term, ...]:
    """Return the terms of a cell in order of severity; none for a blank cell.

    Raises NotationError for the first malformed term.
    """
    terms, problems = read_cell(text)
    for problem in problems:
        raise NotationError(problem.text, problem.code, problem.reason)
    return terms


def read_cell(text: str) -> tuple[tuple[Term, ...], tuple[CellProblem, ...]]:
    """Return the well-formed terms in order of severity, and the problems in the order written.

    Never raises. Of two terms with the same severity, the first is kept and the second reported.
    """
    terms: dict[str, Term] = {}
    problems: list[CellProblem] = []
    if not text.strip(_BLANKS):
        return (), ()
    written = text.split(",")
    for position, piece in enumerate(written, start=1):
        term = _read_term(piece.strip(_BLANKS))
        if isinstance(term, Term) and term.severity in terms:
            term = _problem(
                piece.strip(_BLANKS), "repeated_severity", f"severity {term.severity} twice in this cell"
            )
        if isinstance(term, Term):
            terms[term.severity] = term
        elif term.code == "empty_term":
            # Report the whole cell: an empty text would not show the location.
            problems.append(
                _problem(text, "empty_term", f"term {position} of {len(written)} is empty: a comma too many")
            )
        else:
            problems.append(term)
    return _in_order(terms.values()), tuple(problems)


def is_only_a_comma(text: str) -> bool:
    """Tell whether the only problems of a cell are extra commas, so that no content is lost."""
    terms, problems = read_cell(text)
    return bool(terms and problems) and all(problem.code == "empty_term" for problem in problems)


def format_cell(terms: Iterable[Term]) -> str:
    """Return the canonical text of a cell, `1/3b,1/3c`; empty for no terms.

    Raises ValueError for two terms with the same severity.
    """
    ordered = _in_order(terms)
    if len({term.severity for term in ordered}) < len(ordered):
        raise ValueError("the same severity twice in a cell")
    return ",".join(f"{term.affected}/{term.total}{term.severity}" for term in ordered)


def cell_warnings(terms: Iterable[Term], cell: Cell | None = None) -> tuple[CellWarning, ...]:
    """Return warnings about possible slips: different totals, or more affected parts than the total.

    With `cell` the message names the count: `3 visible hands`.
    """
    kept = _in_order(terms)
    warnings = []
    if len({term.total for term in kept}) > 1:
        warnings.append(_different_totals(kept))
    if kept and sum(term.affected for term in kept) > max(term.total for term in kept):
        warnings.append(_affected_sum(kept, cell))
    return tuple(warnings)


def _different_totals(terms: tuple[Term, ...]) -> CellWarning:
    totals = [str(total) for total in sorted({term.total for term in terms})]
    listed = f"{', '.join(totals[:-1])} and {totals[-1]}"
    return CellWarning("different_totals", f"Different totals in this cell ({listed}). Kept as typed.")


def _affected_sum(terms: tuple[Term, ...], cell: Cell | None) -> CellWarning:
    affected = [term.affected for term in terms]
    largest = max(term.total for term in terms)
    counted = parts_in_words(largest, cell.body_part, cell.count_kind) if cell else f"{largest} in total"
    summed = " + ".join(map(str, affected))
    return CellWarning(
        "affected_sum_above_total",
        f"{summed} = {sum(affected)} affected, but {counted}. Kept; correct if one part was counted twice.",
    )


def _in_order(terms: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(sorted(terms, key=lambda term: SEVERITIES.index(term.severity)))


def _problem(text: str, code: str, reason: str) -> CellProblem:
    return CellProblem(text=text, code=code, reason=reason)


def _read_term(text: str) -> Term | CellProblem:
    match = _TERM.fullmatch(text)
    if match is None:
        return _shape_problem(text)
    affected, total, severity = match.groups()
    problem = _number_problem(text, affected, total)
    return problem or Term(int(affected), int(total), severity.lower())


def _shape_problem(text: str) -> CellProblem:
    if not text:
        return _problem(text, "empty_term", "empty")
    if _WITHOUT_SEVERITY.fullmatch(text):
        return _problem(text, "no_severity", "no severity: a, b or c is missing after the total")
    if _WITHOUT_TOTAL.fullmatch(text):
        return _problem(text, "no_total", "no total: expected affected/total and a severity, such as 1/4b")
    return _problem(text, "malformed", "not of the form affected/total and a severity, such as 1/4b")


def _number_problem(text: str, affected: str, total: str) -> CellProblem | None:
    for number in (affected, total):
        if number.startswith("0") and number != "0":
            return _problem(text, "leading_zero", "a number starts with 0")
        # Check the length first: int() raises its own error for thousands of digits.
        if len(number) > len(str(LARGEST_COUNT)):
            return _problem(text, "above_limit", f"a number is above {LARGEST_COUNT}")
    if total == "0":
        return _problem(text, "total_zero", "a total of 0 is not possible")
    if affected == "0":
        return _problem(text, "affected_zero", "0 affected is not an error: leave the term out")
    if int(affected) > int(total):
        return _problem(text, "affected_above_total", f"{affected} of {total} is not possible")
    return None
