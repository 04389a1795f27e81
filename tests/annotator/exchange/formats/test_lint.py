"""What could have been meant, and what nobody can guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.exchange.formats.lint import kinds_of, lint, suggested_cell, suggested_repairs
from annotator.exchange.formats.sheet import read_sheet, with_repairs
from scoring.grid.notation import Term, format_cell, read_cell
from tests.annotator.exchange.conftest import StudyFolder, sheet_row

LIMBS = "1. Missing Error-1.2 Limbs"


@pytest.mark.parametrize(
    ("text", "kind", "suggestion"),
    [
        ("14c", "missing slash", "1/4c"),
        ("112c", "missing slash", "1/12c"),
        ("1\\4b", "other characters", "1/4b"),
        ("１/４b", "other characters", "1/4b"),
        ("1/4\u00a0b", "other characters", "1/4b"),
        ("1/4b.", "other characters", "1/4b"),
        ("1,0/4,0b", "decimals", "1/4b"),
        ("1.0/4b", "decimals", "1/4b"),
        ("4/1b", "swapped", "1/4b"),
        ("1c/5c", "severity twice", "1/5c"),
        ("b1/4", "severity first", "1/4b"),
        ("1 of 4b", "other separator", "1/4b"),
        ("1/4 severe", "severity in words", "1/4c"),
        ("1/4b;2/4c", "missing comma", "1/4b,2/4c"),
        ("1/04b", "leading zero", "1/4b"),
        ("1/4 d", "unknown severity", None),
        ("1/5", "missing severity", None),
        ("5-Jan", "date", None),
        ("2026-01-05 00:00:00", "date", None),
        ("4b", "missing total", None),
        ("0/4b", "affected 0", None),
        ("1/0b", "total 0", None),
        ("100/200a", "number too large", None),
        ("1c/5b", "not understood", None),
        ("9" * 5000 + "/1a", "number too large", None),
    ],
)
def test_each_slip_has_its_meaning(study: StudyFolder, text: str, kind: str, suggestion: str | None) -> None:
    sheet = read_sheet(study.sheet(sheet_row("sdxl_hug_01", cells={"missing.limbs": text})))
    findings = lint(sheet)
    assert [(each.row, each.column, each.kind, each.suggestion) for each in findings] == [
        (2, LIMBS, kind, suggestion)
    ]
    assert suggested_cell(text) == (suggestion if suggestion is not None else text)


def test_what_is_well_formed_has_no_findings(study: StudyFolder) -> None:
    assert (
        lint(read_sheet(study.sheet(sheet_row("sdxl_hug_01", cells={"missing.limbs": "1/4C , 2/4a"})))) == ()
    )


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("1/28b,3/28c,", "1/28b,3/28c"),
        ("1/4b,1/4b", "1/4b"),
        ("1/4b,2/4b", "1/4b,2/4b"),
        ("1/5,14c", "1/5,1/4c"),
        # A suggestion that the cell has no room for is none.
        ("1/4c,14c", "1/4c,14c"),
    ],
)
def test_cells_keep_what_has_no_suggestion(text: str, repaired: str) -> None:
    assert suggested_cell(text) == repaired


def test_suggestions_of_one_kind_alone(study: StudyFolder) -> None:
    cells = {"missing.limbs": "14c", "extra.hands": "4/1b", "missing.face": "1/5"}
    sheet = read_sheet(study.sheet(sheet_row("sdxl_hug_01", cells=cells)))
    assert suggested_repairs(sheet, {"swapped"}) == {(2, "2. Extra Error-2.4 Hands"): "1/4b"}
    assert kinds_of(lint(sheet)) == [("missing slash", 1, 1), ("missing severity", 1, 0), ("swapped", 1, 1)]


def test_a_repaired_row_keeps_what_was_there(study: StudyFolder) -> None:
    sheet = read_sheet(study.sheet(sheet_row("sdxl_hug_01", cells={"missing.limbs": "14c,1/5"})))
    repaired = with_repairs(sheet, suggested_repairs(sheet))
    (row,) = repaired.rows
    assert row.terms == {"missing.limbs": (Term(1, 4, "c"),)}
    assert [note.text for note in repaired.rejected_terms] == ["1/5"]
    assert row.source("a.csv")["cells"] == {LIMBS: "1/4c,1/5"}
    assert row.source("a.csv")["repaired"] == {LIMBS: "14c,1/5"}
    assert with_repairs(sheet, {}) == sheet


@given(st.text(alphabet="0123456789abcdABC/,;. \\-１／\u00a0x", max_size=24))
def test_a_suggestion_never_loses_a_readable_term(text: str) -> None:
    terms, _ = read_cell(text)
    after, _ = read_cell(suggested_cell(text))
    assert set(terms) <= set(after) or "," in text


@given(st.lists(st.sampled_from([Term(1, 4, "a"), Term(2, 4, "b"), Term(1, 3, "c")]), unique=True))
def test_canonical_cells_need_no_repair(terms: list[Term]) -> None:
    assert suggested_cell(format_cell(terms)) == format_cell(terms)
