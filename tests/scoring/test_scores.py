"""The notation of a cell and Equations 1 and 2, exactly; the published sheet read by both."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.anatomy.protocol import clean, payload_from_cells
from scoring.grid.notation import (
    LARGEST_COUNT,
    CellProblem,
    NotationError,
    Term,
    cell_warnings,
    format_cell,
    parse_cell,
    read_cell,
)
from scoring.grid.scores import cell_score, cumulative_score
from scoring.grid.severity_weights import DEFAULT_WEIGHTS, weights_from
from scoring.grid.taxonomy import CELLS
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
        ("1.0/4b", "1.0/4b", "malformed", MALFORMED),
        ("1/4b\n", "1/4b\n", "malformed", MALFORMED),
        ("1/4b\0", "1/4b\0", "malformed", MALFORMED),
        ("\u0661/\u0664b", "\u0661/\u0664b", "malformed", MALFORMED),  # Arabic-Indic digits
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


def test_the_tolerant_reader_keeps_what_is_well_formed_and_reports_the_rest() -> None:
    assert read_cell("2/4c, 3b ,1/4c,,x") == (
        (Term(2, 4, "c"),),
        (
            CellProblem("3b", "no_total", NO_TOTAL),
            CellProblem("1/4c", "repeated_severity", "severity c twice in this cell"),
            CellProblem("2/4c, 3b ,1/4c,,x", "empty_term", "term 4 of 5 is empty: a comma too many"),
            CellProblem("x", "malformed", MALFORMED),
        ),
    )


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


# The manual's worked example.
EXAMPLE = {
    "missing.limbs": parse_cell("1/4C"),
    "missing.hands": parse_cell("1/3B"),
    "missing.face": parse_cell("2/2A"),
    "configuration.hands": parse_cell("1/3C,1/3B"),
}


def test_the_worked_example_of_the_manual() -> None:
    assert cell_score(EXAMPLE["configuration.hands"]) == Fraction(1, 2)
    assert cumulative_score(EXAMPLE) == Fraction(67, 60)
    assert cumulative_score(term for terms in EXAMPLE.values() for term in terms) == Fraction(67, 60)


def test_nothing_scores_nothing() -> None:
    assert cumulative_score({}) == cumulative_score([]) == cell_score(()) == 0


def test_other_weights() -> None:
    weights = weights_from({"a": 0, "b": "1/3", "c": 2})
    assert cell_score(parse_cell("1/1a,1/2b,1/4c"), weights) == Fraction(1, 6) + Fraction(1, 2)


@given(cells)
def test_the_score_is_the_weighted_sum_in_any_order(terms: tuple[Term, ...]) -> None:
    weighted = (DEFAULT_WEIGHTS[term.severity] * Fraction(term.affected, term.total) for term in terms)
    expected = sum(weighted, start=Fraction(0))
    assert cell_score(terms) == cell_score(reversed(terms)) == expected
    assert 0 <= expected <= sum(DEFAULT_WEIGHTS.values())


@pytest.mark.parametrize(
    ("value", "weight"),
    [
        ("0.2", Fraction(1, 5)),
        (0.2, Fraction(1, 5)),
        (Decimal("0.20"), Fraction(1, 5)),
        ("1/5", Fraction(1, 5)),
        (Fraction(1, 5), Fraction(1, 5)),
        (" 1 ", Fraction(1)),
        (1, Fraction(1)),
        (1.0, Fraction(1)),
        (0, Fraction(0)),
        (1e-05, Fraction(1, 100_000)),
        (100, Fraction(100)),
    ],
)
def test_weights_are_read_exactly(value: object, weight: Fraction) -> None:
    assert weights_from({"a": value, "b": "0.5", "c": 1}) == {"a": weight, "b": Fraction(1, 2), "c": 1}


@pytest.mark.parametrize(
    "value",
    [
        None, True, "", "x", "-1", -1, -0.5, 101, 10**400, -(10**400), float("nan"), float("inf"), "1/0",
        "1/00", "1e2", "1_0", "+1", ".5", "1.", "\u0661", "nan", Decimal("NaN"), Decimal("1E+5"), [1],
        "9" * 5000,
    ],
)  # fmt: skip
def test_a_weight_that_is_no_weight_is_refused_by_name(value: object) -> None:
    message = r"^weight 'b' is not a number from 0 to 100, such as 0\.2 or 1/5$"
    with pytest.raises(ValueError, match=message):
        weights_from({"a": 0.2, "b": value, "c": 1})


def test_missing_and_unknown_severities_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^weight 'a' is not a number"):
        weights_from({"a": 10**5000, "b": 0.5, "c": 1})  # too long to be written
    with pytest.raises(ValueError, match=r"^weight 'c' is missing$"):
        weights_from({"a": 0.2, "b": 0.5})
    with pytest.raises(ValueError, match=r"^weight 'd': there is no such severity$"):
        weights_from({"a": 0.2, "b": 0.5, "c": 1, "d": 2})


Row = tuple[int, dict[str, str]]


@pytest.fixture(scope="module")
def rows(study_data: Path) -> list[Row]:
    """Each row with its number, the header being row 1."""
    with (study_data / "data" / "annotations.csv").open(encoding="utf-8", newline="") as sheet:
        return list(enumerate(csv.DictReader(sheet), start=2))


def _cells(rows: list[Row]) -> Iterator[tuple[int, str, str]]:
    """Row, cell key and text of the cells that hold something."""
    return (
        (number, cell.key, row[cell.heading]) for number, row in rows for cell in CELLS if row[cell.heading]
    )


def test_the_six_malformed_cells(rows: list[Row]) -> None:
    assert len(rows) == 300
    found = [
        (number, key, text, format_cell(terms), [(problem.text, problem.code) for problem in problems])
        for number, key, text in _cells(rows)
        for terms, problems in [read_cell(text)]
        if problems
    ]
    assert found == [
        (59, "extra.hands", "1/5", "", [("1/5", "no_severity")]),
        (66, "missing.hands", "1/3,2/3b", "2/3b", [("1/3", "no_severity")]),
        (179, "proportion.limbs", "1/28b,3/28c,", "1/28b,3/28c", [("1/28b,3/28c,", "empty_term")]),
        (181, "orientation.feet", "1c/5c", "", [("1c/5c", "malformed")]),
        (231, "configuration.feet", "2/4,2/4b", "2/4b", [("2/4", "no_severity")]),
        (272, "configuration.hands", "1/3,2/3c", "2/3c", [("1/3", "no_severity")]),
    ]


def test_the_unusual_cells(rows: list[Row]) -> None:
    found = [
        (number, key, warning.code)
        for number, key, text in _cells(rows)
        for warning in cell_warnings(read_cell(text)[0])
    ]
    assert Counter(code for _, _, code in found) == {"different_totals": 17, "affected_sum_above_total": 5}
    assert [(number, key) for number, key, code in found if code == "affected_sum_above_total"] == [
        (25, "proportion.torso"),
        (28, "configuration.hands"),
        (66, "configuration.torso"),
        (67, "configuration.torso"),
        (98, "configuration.face"),
    ]


def test_how_much_there_is(rows: list[Row]) -> None:
    texts = [text for _, _, text in _cells(rows)]
    terms = [term for text in texts for term in read_cell(text)[0]]
    assert len(texts) == 1587
    assert Counter(term.severity for term in terms) == {"a": 680, "b": 542, "c": 604}
    assert max(term.total for term in terms) == 28 <= LARGEST_COUNT


def test_every_row_makes_a_payload(rows: list[Row]) -> None:
    warned = 0
    for _, row in rows:
        cells = {cell.key: read_cell(row[cell.heading])[0] for cell in CELLS}
        payload = payload_from_cells(cells, no_errors=not any(cells.values()))
        answer = clean(payload)
        assert answer.payload() == payload
        assert {key: answer.terms(key) for key in cells} == cells
        warned += len(answer.warnings)
    assert warned == 17 + 5
