"""Tests between groups as tables."""

from __future__ import annotations

import pytest

from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatingsFrame
from analysis.tables.comparison.group_tests import group_tables
from tests.analysis.stats.conftest import framed, rated


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    tables = {table.slug: table for table in group_tables(comparison(study_frame))}
    assert list(tables) == ["prompt_tests", "prompt_group_tests", "error_type_tests", "body_part_tests"]
    prompts = tables["prompt_tests"]
    assert prompts.words.endswith(
        "Overall: F(9, 228) = 15.48, p < 0.001. 8 of 45 pairs differ clearly (Holm-corrected p below 0.05)."
    )
    assert [cell.text for cell in prompts.rows[0]] == [
        "mother or father holding baby – five people sunbathing on beach",
        *("−3.28", "−4.36 to −2.21", "−6.27", "26.3", "< 0.001", "< 0.001", "−5.20 to −1.37", "−6.74"),
    ]
    assert tables["error_type_tests"].rows[0][0].text == "Orientation – Configuration"


def test_few_data_say_why() -> None:
    found = comparison(framed(rated(1, "a", {"missing.face": "1/2c"}), rated(2, "a", {})))
    words = {table.slug: table.words for table in group_tables(found)}
    assert words["prompt_tests"].endswith(
        "The overall test cannot be computed: fewer than 2 groups. Pairs are not tested: fewer than 2 groups."
    )
