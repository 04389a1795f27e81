"""The first screen of a ranking: which way is better, who is first, and who is not ranked apart."""

from __future__ import annotations

from typing import Any

from analysis.first_screen.ranked import RankedScreen, ranked_screen
from analysis.models import Report
from analysis.stats.ranking.report import ranking
from analysis.tables.ranking import rows_of
from tests.analysis.stats.ranking.making import WORKED, scored


def screen(table: dict[str, Any], **about: bool) -> RankedScreen:
    found = ranked_screen(Report(kind="ranking", result=ranking(scored(table, **about))))
    assert found is not None
    return found


def test_the_worked_example() -> None:
    found = screen(WORKED)
    assert (found.clear, found.headline) == (True, "gA is ranked first")
    assert list(found.lede) == [("gA", "8.25"), ("gB", "4.63"), ("gC", "4.13")]
    assert found.better == "Higher is better."
    assert [row.ranked.rank for row in found.rows] == ["rank 1", "rank 2–3", "rank 2–3"]
    assert [(one.word, one.bold) for one in found.conclusions] == [
        ("Clear", "gA is ranked above"),
        ("Inconclusive", "gB or gC?"),
    ]
    assert found.conclusions[1].rest == (
        "Either may be better: gB may score up to 2.93 lower or 3.93 higher than gC (joint 95% interval, 4 "
        "common prompts). Chance alone would give such a difference for some pair in at most 54 of "
        "100 studies (Holm p = 0.530)."
    )


def test_no_rank_and_no_interval_contradicts_the_verdict() -> None:
    """scipy's ttest_rel of gA and gB gives p = 0.0349, 0.0698 by Holm; gA is first in 95% of resamples.

    Their interval alone excludes 0.
    """
    table = {"gA": [7, 7, 6, 5, 7], "gB": [5, 4, 6, 4, 5], "gC": [5, 5, 3, 2, 4]}
    found = screen(table)
    (first,) = (row for row in rows_of(ranking(scored(table)), "generators") if row["generator"] == "gA")
    assert (first["rank_from"], first["rank_to"]) == (1, 1)
    assert [row.ranked.rank for row in found.rows] == ["rank 1–2", "rank 1–3", "rank 2–3"]
    (test, _) = (one for one in found.conclusions if one.word == "Inconclusive")
    assert test.rest == (
        "Either may be better: gA may score up to 0.42 lower or 3.62 higher than gB (joint 95% interval, 5 "
        "common prompts). Chance alone would give such a difference for some pair in at most 7 of 100 "
        "studies (Holm p = 0.070)."
    )


def test_real_pictures_are_named() -> None:
    rows = [{"reason": "real_picture", "count": 15}]
    result = {**ranking(scored(WORKED)), "answers": {"not_counted": rows}}
    found = ranked_screen(Report(kind="ranking", result=result))
    assert found is not None
    assert found.notes == ["Real images are not a generator: their 15 annotations are not counted."]


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
