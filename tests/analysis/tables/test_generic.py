"""Tables and sentences of results that are lists of tables."""

from __future__ import annotations

import re
from typing import Any

import pytest

from analysis.stats.comparison.generic import comparison
from analysis.stats.estimates import estimate, refused
from analysis.stats.generic.agreement import agreement_of_values as agreement
from analysis.tables.generic import SENTENCES, result_findings, result_methods, result_tables
from tests.analysis.stats.comparison.test_comparison import ANSWERS
from tests.analysis.stats.generic.making import stars

HEAD = {"protocol": {"slug": "stars", "title": "Stars", "headline": "Stars"}}


def test_a_row_is_made_of_cells_by_the_kind_of_its_column() -> None:
    tables = {table.slug: table for table in result_tables(comparison(stars(ANSWERS)))}
    (row,) = tables["differences"].rows
    texts = [cell.text for cell in row]
    assert texts == ["a", "b", "−2.10 [−3.59, −0.61]", "7.00", "0.013", "0.013", "clear"]


def test_a_difference_is_said_from_its_lower_side() -> None:
    (said,) = result_findings(HEAD | comparison(stars(ANSWERS)))
    assert said.kind == "clear"
    assert said.text == (
        "a scores lower than b (−2.10 [−3.59, −0.61], p = 0.013 after Holm), for this prompt, as judged by "
        "these annotators."
    )
    (other,) = result_findings(HEAD | comparison(stars(ANSWERS, generators="ba")))
    assert other.text == said.text.replace("a scores lower than b", "b scores lower than a")


def test_what_cannot_be_said_is_refused_with_its_reason() -> None:
    (said,) = result_findings(HEAD | agreement(stars(ANSWERS)))
    assert (said.kind, said.text) == ("refused", "Stars: alpha is not defined: too few: 1 image.")
    (said,) = result_findings(HEAD | comparison(stars([(0, "A", 1), (1, "A", 2)])))
    assert said.kind == "refused"


def test_where_nothing_is_clear_holm_s_p_is_given_as_it_is() -> None:
    """A corrected p of 0.388 once became “in at most 39 of 100 studies”, where it was in 67."""
    gap = {"value": -0.5, "low": -1.5, "high": 0.5, "refused": None}
    row = {"a": "x", "b": "y", "p_holm": 0.388, "difference": gap, "verdict": ""}
    model = {"kept": ["prompt", "annotator_generator"], "prompts": 10, "annotators": 4}
    result = {"settings": {"higher_is_better": False}, "model": model}
    assert SENTENCES["no_difference"](row, result).text == (
        "No generator is clearly lower, for prompts and annotators like these; the widest interval is that "
        "of x and y, −0.50 [−1.50, 0.50], p = 0.388 after Holm."
    )


class TestStages:
    """The sentences of the report on two stages."""

    STAGES: Any = {
        "stages": {
            "first": {"title": "Yes or no", "headline": "Cells marked"},
            "second": {"title": "Counts", "headline": "Score"},
        },
        "settings": {"unmarked_as_zero": False},
    }

    def said(self, code: str, row: dict[str, Any], *, zero: bool = False) -> tuple[str, list[str]]:
        """What kind of finding it is, and the numbers in it."""
        result = {**self.STAGES, "settings": {"unmarked_as_zero": zero}}
        found = SENTENCES[code](row, result)
        return found.kind, re.findall(r"\d[\d.,]*\d|\d", found.text)

    @pytest.mark.parametrize(
        ("low", "high", "kind"), [(0.1, 0.3, "clear"), (-0.1, 0.3, "open"), (-0.4, -0.1, "clear")]
    )
    def test_which_stage_separates_better_is_clear_where_zero_is_outside(
        self, low: float, high: float, kind: str
    ) -> None:
        gap = estimate((low + high) / 2, low, high, n_units=55, method="")
        first, second = (estimate(value, 0, 1, n_units=55, method="") for value in (0.25, 0.5))
        row = {"images": 55, "first": first, "second": second, "difference": gap}
        found, numbers = self.said("separates", row)
        assert found == kind
        assert numbers[:3] == ["55", "0.25", "0.50"]
        better = SENTENCES["separates"](row, self.STAGES).text.split()[0]
        assert better == {"clear": "Score" if low > 0 else "Cells", "open": "Neither"}[kind]

    def test_without_a_value_it_says_why(self) -> None:
        nothing = refused("all values are equal", method="")
        row = {"images": 4, "first": nothing, "second": nothing, "difference": nothing}
        found = SENTENCES["separates"](row, self.STAGES)
        assert (found.kind, "all values are equal" in found.text) == ("refused", True)
        known = refused("too few", value=0.2, method="")
        row = {"images": 6, "first": known, "second": known, "difference": known}
        assert "too few" in SENTENCES["separates"](row, self.STAGES).text

    def test_kept_marks_are_counted(self) -> None:
        row = {"both": 94, "first_only": 18, "second_only": 19, "kept": 94 / 112}
        assert self.said("kept", row) == ("note", ["2", "94", "84", "112", "1", "2", "19"])
        empty = {"both": 0, "first_only": 0, "second_only": 3, "kept": None}
        assert "3" in self.said("kept", empty)[1]

    @pytest.mark.parametrize(
        ("zero", "words"), [(False, "Not counted: 17 images"), (True, "Counted as 0 in stage 2")]
    )
    def test_zeros_are_never_silent(self, zero: bool, words: str) -> None:
        row = {
            "judged": 4,
            "found": 1,
            "rate": estimate(0.25, 0.01, 0.81, n_units=4, method=""),
            "left_out": 17,
        }
        assert self.said("missed", row, zero=zero)[1][:7] == ["4", "1", "1", "2", "25", "1", "81"]
        result = {**self.STAGES, "settings": {"unmarked_as_zero": zero}}
        assert words in SENTENCES["missed"](row, result).text
        assert "17 images without marks left out" in SENTENCES["missed"](row, result).text
        unknown = {"judged": 0, "found": 0, "rate": refused("nothing", method=""), "left_out": 0}
        assert "is not known" in SENTENCES["missed"](unknown, result).text

    def test_the_methods_name_both_stages_and_what_counts_as_zero(self) -> None:
        assert "count as 0" not in result_methods(self.STAGES)
        assert "count as 0" in result_methods({**self.STAGES, "settings": {"unmarked_as_zero": True}})
