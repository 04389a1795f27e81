"""The first screen of every protocol, from a computed report."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from analysis.first_screen.screen import FirstScreen, first_screen
from analysis.models import Report
from analysis.protocols.realism.comparison import realism_comparison
from analysis.stats.building import RatedAnnotation
from analysis.stats.comparison.generic import comparison
from analysis.stats.generic.values import build_values
from scoring.grid.taxonomy import CELLS
from scoring.presence.protocol import PRESENCE, clean
from tests.analysis.protocols.realism.making import rated
from tests.factories import make_project

pytestmark = pytest.mark.django_db

GENERATORS = {"gA": 8, "gB": 4, "gC": 4}
PROMPTS = [f"prompt {place}" for place in range(9)]


def screen_of(protocol: str, result: dict[str, Any]) -> FirstScreen | None:
    stored = {"protocol": {"slug": protocol}, "answers": {"not_counted": []}, **result}
    report = Report(kind="comparison", protocol=protocol, result=json.loads(json.dumps(stored)))
    return first_screen(report, make_project())


def realism() -> dict[str, Any]:
    """Three raters of nine prompts, each prompt with an image of each generator."""
    random = np.random.default_rng(7)
    places = [(name, place) for name in GENERATORS for place in range(9)]
    table = {
        rater: " ".join(str(GENERATORS[name] + random.integers(-1, 2)) for name, _ in places)
        for rater in "abc"
    }
    names, prompts = [name for name, _ in places], [PROMPTS[place] for _, place in places]
    return realism_comparison(rated(table, generators=names, prompts=prompts))


def presence() -> dict[str, Any]:
    rows = []
    for place, (name, count) in enumerate(
        (name, count) for name, count in GENERATORS.items() for _ in range(9)
    ):
        for number, annotator in enumerate("abc"):
            cells = [cell.key for cell in CELLS[: count + (place + number) % 2]]
            said = PRESENCE.ratings(clean({"cells": cells, "no_errors": not cells}), {})
            found = [list(map(str, rating)) for rating in said]
            rows.append(
                RatedAnnotation(place, annotator, name, PROMPTS[place % 9], "", "b", found, place, place)
            )
    return comparison(build_values(rows, PRESENCE))


def test_realism_reads_from_1_and_the_highest_is_best() -> None:
    found = screen_of("realism", realism())
    assert found is not None
    assert (found.headline.text, found.higher_is_better) == ("gA is best", True)
    assert [tick.text for tick in found.ranking.ticks] == [str(point) for point in range(1, 11)]
    assert [row.ranked.rank for row in found.rows] == ["rank 1", "rank 2–3", "rank 2–3"]
    clear, undecided, *_ = found.conclusions
    assert clear.kind == "clear"
    assert clear.text.startswith("gA scores higher than gB (")
    assert (undecided.kind, undecided.text.split(":")[0]) == ("open", "gB or gC")
    assert found.images == 27


def test_presence_reads_from_0_and_the_lowest_is_best() -> None:
    found = screen_of("presence", presence())
    assert found is not None
    assert (found.headline.text, found.higher_is_better) == ("gC and gB are best", False)
    assert found.ranking.ticks[0].text == "0"
    assert {row.ranked.generator for row in found.rows[:2]} == {"gB", "gC"}
    assert found.conclusions[0].text.startswith("gB scores lower than gA (")


def test_without_a_generator_there_is_no_screen() -> None:
    assert screen_of("presence", comparison(build_values([], PRESENCE))) is None
