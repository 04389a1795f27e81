"""The first screen of a comparison by a headline: which way is better, who is best, and who is not apart."""

from __future__ import annotations

import pytest

from analysis.first_screen.headline_screen import HeadlineScreen, headline_screen
from analysis.models import Report
from analysis.stats.building import RatedAnnotation
from analysis.stats.generic.comparison import comparison
from analysis.stats.generic.values import build_values
from scoring.grid.taxonomy import CELLS
from scoring.presence.protocol import PRESENCE, clean
from scoring.realism.protocol import REALISM

TABLE = {
    "gA": [8, 9, 7, 8, 8, 9, 7, 9, 8],
    "gB": [4, 6, 3, 5, 4, 5, 6, 4, 5],
    "gC": [4, 6, 3, 2, 5, 4, 4, 5, 6],
}


def realism(table: dict[str, list[int]]) -> HeadlineScreen:
    rows = [
        RatedAnnotation(place, "A", name, "p", "one", "b", [["rating", "", str(score)]], place, place)
        for place, (name, score) in enumerate((name, score) for name, own in table.items() for score in own)
    ]
    result = comparison(build_values(rows, REALISM))
    found = headline_screen(Report(kind="comparison", protocol="realism", result=result))
    assert found is not None
    return found


def test_higher_is_better() -> None:
    found = realism(TABLE)
    assert (found.clear, found.headline, found.higher_is_better) == (True, "gA is best", True)
    assert list(found.lede) == [("gA", "8.11"), ("gB", "4.67"), ("gC", "4.33")]
    assert [row.ranked.rank for row in found.rows] == ["rank 1", "rank 2–3", "rank 2–3"]
    assert [(one.word, one.bold) for one in found.conclusions] == [
        ("Clear", "gA is better"),
        ("Inconclusive", "gB or gC?"),
    ]
    assert found.conclusions[0].rest == "than gB by 3.44 and than gC by 3.78 (p < 0.001 after Holm)."
    assert found.conclusions[1].rest.endswith(" after Holm.")
    assert found.images == 27


def test_lower_is_better_turns_the_rows() -> None:
    rows = [
        RatedAnnotation(place, "A", name, "p", "one", "b", rated(count), place, place)
        for place, (name, count) in enumerate((name, count) for name, own in TABLE.items() for count in own)
    ]
    result = comparison(build_values(rows, PRESENCE))
    found = headline_screen(Report(kind="comparison", protocol="presence", result=result))
    assert found is not None
    assert [row.ranked.generator for row in found.rows] == ["gC", "gB", "gA"]
    assert (found.higher_is_better, found.headline) == (False, "gC and gB are best")


def rated(cells: int) -> list[list[str]]:
    payload = {"cells": [cell.key for cell in CELLS[:cells]], "no_errors": not cells}
    return [list(map(str, rating)) for rating in PRESENCE.ratings(clean(payload), {})]


@pytest.mark.parametrize(
    ("table", "headline"),
    [
        ({"gA": TABLE["gA"], "gB": [4, 6]}, "Only gA has enough images"),
        ({"gA": TABLE["gA"]}, "gA is the only generator"),
        ({"gA": [8], "gB": [4]}, "Too few scores: a generator needs 8 images"),
        ({"gB": TABLE["gB"], "gC": TABLE["gC"]}, "No generator is clearly best"),
    ],
)
def test_too_little_is_no_finding(table: dict[str, list[int]], headline: str) -> None:
    found = realism(table)
    assert (found.headline, found.clear) == (headline, False)


def test_real_pictures_are_named() -> None:
    rows = [{"reason": "real_picture", "count": 15}]
    result = {"tables": [], "answers": {"not_counted": rows}}
    found = headline_screen(Report(kind="comparison", protocol="realism", result=result))
    assert found is not None
    assert found.notes == ["Real images are not a generator: their 15 annotations are not counted."]


def test_other_reports_have_no_such_screen() -> None:
    assert headline_screen(Report(kind="comparison", result={"generators": []})) is None
    assert headline_screen(Report(kind="agreement", result={"tables": []})) is None
    assert headline_screen(Report(kind="comparison", result=None)) is None
