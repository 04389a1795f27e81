"""The notation of a cell: what is read, what is refused and why, and that writing undoes reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.grid.notation import (
    CellProblem,
    NotationError,
    Term,
    cell_warnings,
    format_cell,
    parse_cell,
    read_cell,
)
from scoring.grid.taxonomy import CELL_BY_KEY
from tests.scoring.drafts import cells

NO_SEVERITY = "no severity: a, b or c is missing after the total"
NO_TOTAL = "no total: expected affected/total and a severity, such as 1/4b"
MALFORMED = "not of the form affected/total and a severity, such as 1/4b"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", ()),
        (" \t ", ()),
        ("1/4b", (Term(1, 4, "b"),)),
        ("1/17a, 1/18c", (Term(1, 17, "a"), Term(1, 18, "c"))),
        ("\t 1 / 4 c ", (Term(1, 4, "c"),)),
        ("2/4C,1/4A", (Term(1, 4, "a"), Term(2, 4, "c"))),
        ("3/4b,1/4a,2/4c", (Term(1, 4, "a"), Term(3, 4, "b"), Term(2, 4, "c"))),
        ("99/99a", (Term(99, 99, "a"),)),
    ],
)
def test_well_formed_cells(text: str, terms: tuple[Term, ...]) -> None:
    assert parse_cell(text) == terms
    assert read_cell(text) == (terms, ())


@pytest.mark.parametrize(
    ("text", "term", "code", "reason"),
    [
        ("1/5", "1/5", "no_severity", NO_SEVERITY),
        ("1/3,2/3b", "1/3", "no_severity", NO_SEVERITY),
        ("3b", "3b", "no_total", NO_TOTAL),
        ("7", "7", "no_total", NO_TOTAL),
        ("1/0a", "1/0a", "total_zero", "a total of 0 is not possible"),
        ("0/4a", "0/4a", "affected_zero", "0 affected is not an error: leave the term out"),
        ("1/4b, 4/3c", "4/3c", "affected_above_total", "4 of 3 is not possible"),
        ("1/4b,2/4B", "2/4B", "repeated_severity", "severity b twice in this cell"),
        ("1/28b,3/28c,", "1/28b,3/28c,", "empty_term", "term 3 of 3 is empty: a comma too many"),
        (",", ",", "empty_term", "term 1 of 2 is empty: a comma too many"),
        ("1/100a", "1/100a", "above_limit", "a number is above 99"),
        ("1/04a", "1/04a", "leading_zero", "a number starts with 0"),
        ("1c/5c", "1c/5c", "malformed", MALFORMED),
        ("1/4d", "1/4d", "malformed", MALFORMED),
        ("-1/4b", "-1/4b", "malformed", MALFORMED),
        ("1.0/4b", "1.0/4b", "malformed", MALFORMED),
        ("1/1 0b", "1/1 0b", "malformed", MALFORMED),
        ("1/4b\n", "1/4b\n", "malformed", MALFORMED),
        ("1/4b\0", "1/4b\0", "malformed", MALFORMED),
        ("\u0661/\u0664b", "\u0661/\u0664b", "malformed", MALFORMED),  # Arabic-Indic digits
        ("\uff11/\uff14b", "\uff11/\uff14b", "malformed", MALFORMED),  # full-width digits
        ("\u00b2/4b", "\u00b2/4b", "malformed", MALFORMED),  # superscript two
        ("1\u20444b", "1\u20444b", "malformed", MALFORMED),  # fraction slash
        ("1/4\u0430", "1/4\u0430", "malformed", MALFORMED),  # Cyrillic a
        ("\u00a01/4b", "\u00a01/4b", "malformed", MALFORMED),  # no-break space
    ],
)
def test_refused_cells_name_the_term_and_the_reason(text: str, term: str, code: str, reason: str) -> None:
    with pytest.raises(NotationError) as refused:
        parse_cell(text)
    error = refused.value
    assert (error.term, error.code, error.reason) == (term, code, reason)
    assert str(error) == f"“{term}”: {reason}"


def test_a_number_of_ten_thousand_digits_is_refused_like_any_other() -> None:
    with pytest.raises(NotationError) as refused:
        parse_cell("1/" + "9" * 10_000 + "a")
    assert str(refused.value) == f"“1/{'9' * 38}…”: a number is above 99"


@pytest.mark.parametrize(
    ("text", "terms", "problems"),
    [
        ("1/5", (), (CellProblem("1/5", "no_severity", NO_SEVERITY),)),
        ("1/3,2/3b", (Term(2, 3, "b"),), (CellProblem("1/3", "no_severity", NO_SEVERITY),)),
        (
            "1/28b,3/28c,",
            (Term(1, 28, "b"), Term(3, 28, "c")),
            (CellProblem("1/28b,3/28c,", "empty_term", "term 3 of 3 is empty: a comma too many"),),
        ),
        ("1c/5c", (), (CellProblem("1c/5c", "malformed", MALFORMED),)),
        (
            "2/4c, 3b ,1/4c,,x",
            (Term(2, 4, "c"),),
            (
                CellProblem("3b", "no_total", NO_TOTAL),
                CellProblem("1/4c", "repeated_severity", "severity c twice in this cell"),
                CellProblem("2/4c, 3b ,1/4c,,x", "empty_term", "term 4 of 5 is empty: a comma too many"),
                CellProblem("x", "malformed", MALFORMED),
            ),
        ),
    ],
)
def test_the_tolerant_reader_keeps_what_is_well_formed_and_reports_the_rest(
    text: str, terms: tuple[Term, ...], problems: tuple[CellProblem, ...]
) -> None:
    assert read_cell(text) == (terms, problems)


@given(cells)
def test_reading_undoes_writing(terms: tuple[Term, ...]) -> None:
    assert parse_cell(format_cell(terms)) == terms


@given(st.text() | st.text("0129/abcABC, \t\n"))
def test_the_tolerant_reader_never_raises_and_agrees_with_the_strict_one(text: str) -> None:
    terms, problems = read_cell(text)
    if not problems:
        assert parse_cell(text) == terms
        return
    with pytest.raises(NotationError) as refused:
        parse_cell(text)
    error = refused.value
    assert CellProblem(error.term, error.code, error.reason) == problems[0]


def test_writing_sorts_by_severity_and_refuses_what_no_cell_can_hold() -> None:
    assert format_cell(()) == ""
    assert format_cell([Term(1, 3, "c"), Term(1, 3, "b")]) == "1/3b,1/3c"
    with pytest.raises(ValueError, match=r"^the same severity twice in a cell$"):
        format_cell([Term(1, 3, "c"), Term(2, 3, "c")])


@pytest.mark.parametrize(
    ("affected", "total", "severity"), [(0, 1, "a"), (2, 1, "a"), (1, 100, "a"), (1, 1, "A"), (1, 1, "")]
)
def test_an_impossible_term_cannot_be_made(affected: int, total: int, severity: str) -> None:
    with pytest.raises(ValueError, match=r"^no such"):
        Term(affected, total, severity)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("", []),
        ("1/3b,2/3c", []),
        ("1/17a,1/18c", ["Different totals in this cell (17 and 18). Kept as typed."]),
        ("1/5a,1/3b,1/4c", ["Different totals in this cell (3, 4 and 5). Kept as typed."]),
        (
            "3/3c,1/3a",
            ["1 + 3 = 4 affected, but 3 visible hands. Kept; correct if one part was counted twice."],
        ),
        (
            "1/1a,1/1b",
            ["1 + 1 = 2 affected, but 1 visible hand. Kept; correct if one part was counted twice."],
        ),
        (
            "2/2a,2/3b",
            [
                "Different totals in this cell (2 and 3). Kept as typed.",
                "2 + 2 = 4 affected, but 3 visible hands. Kept; correct if one part was counted twice.",
            ],
        ),
    ],
)
def test_warnings(text: str, messages: list[str]) -> None:
    warnings = cell_warnings(parse_cell(text), CELL_BY_KEY["configuration.hands"])
    assert [warning.message for warning in warnings] == messages
