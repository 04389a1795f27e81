"""The first screen of a ranking: which way is better, who is first, and who is not ranked apart."""

from __future__ import annotations

from typing import Any

from analysis.first_screen.ranked import RankedScreen, ranked_screen
from analysis.models import Report
from analysis.stats.ranking.report import ranking
from tests.analysis.stats.ranking.making import WORKED, scored


def screen(table: dict[str, Any], **about: bool) -> RankedScreen:
    found = ranked_screen(Report(kind="ranking", result=ranking(scored(table, **about))))
    assert found is not None
    return found


def test_the_worked_example() -> None:
    found = screen(WORKED)
    assert (found.clear, found.headline) == (True, "gA is ranked first")
    assert list(found.lede) == [("gA", "8.25"), ("gB", "4.62"), ("gC", "4.12")]
    assert found.better == "Higher is better."
    assert [row.ranked.rank for row in found.rows] == ["rank 1", "rank 2–3", "rank 2–3"]
    assert [(one.word, one.bold) for one in found.conclusions] == [
        ("Clear", "gA is ranked above"),
        ("Inconclusive", "gB or gC?"),
    ]
    assert "−1.75 to 2.75 over 4 common prompts, Holm-corrected p = 0.530" in found.conclusions[1].rest


def test_generators_that_share_a_rank_have_the_joint_one() -> None:
    """All resamples agree on the order of the first two, but the test does not rank them apart."""
    table = {"gA": [8, 9, 8.5], "gB": [7.9, 8, 8.4], "gC": [1, 2.2, 1.4]}
    rows = ranking(scored(table))["tables"][0]["rows"]
    assert [row[-2:] for row in rows] == [[1, 1], [2, 2], [3, 3]]
    found = screen(table)
    assert found.headline == "gA and gB share the first rank"
    assert [row.ranked.rank for row in found.rows] == ["rank 1–2", "rank 1–2", "rank 3"]


def test_real_pictures_are_named() -> None:
    rows = [{"reason": "real_picture", "count": 15}]
    result = {**ranking(scored(WORKED)), "answers": {"not_counted": rows}}
    found = ranked_screen(Report(kind="ranking", result=result))
    assert found is not None
    assert found.notes == ["Real pictures are not a generator: their 15 annotations are not counted."]


def test_lower_is_better_turns_the_rows() -> None:
    found = screen(WORKED, higher_is_better=False)
    assert [row.ranked.generator for row in found.rows] == ["gC", "gB", "gA"]
    assert (found.better, found.headline) == ("Lower is better.", "gC and gB share the first rank")


def test_a_generator_with_one_prompt_has_no_rank() -> None:
    found = screen({"gA": [8, 9, 7], "gB": [4, 5, 4], "gC": [5, None, None]})
    assert (found.rows[-1].ranked.generator, found.rows[-1].ranked.state) == ("gC", "too-few")
    assert "different prompts" in found.notes[0]


def test_other_reports_have_no_such_screen() -> None:
    assert ranked_screen(Report(kind="comparison", result={"generators": []})) is None
    assert ranked_screen(Report(kind="ranking", result=None)) is None
