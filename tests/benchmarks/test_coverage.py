"""The simulations behind the tables of coverage in statistics.md, with few runs."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from analysis.stats.comparison.detection import MEASURES
from benchmarks import coverage
from benchmarks.coverage import AGREEMENT, ALPHAS, COMPARISON, DETECTION, PAGE, TESTS, Errors, Scores


def test_the_page_has_a_row_for_each_scenario() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for kind, scenarios, titles in (
        ("agreement", AGREEMENT, [title for title, *_ in ALPHAS]),
        ("comparison", COMPARISON, list(TESTS)),
        ("detection", DETECTION, [title for _, title, *_ in MEASURES]),
    ):
        found = re.search(rf"<!-- coverage of {kind} -->\n(.*?)<!-- end -->", page, re.DOTALL)
        assert found
        rows = [line.strip("|").split(" | ") for line in found[1].splitlines()]
        assert [row[0].strip() for row in rows[2:]] == [one.name for one in scenarios]
        assert [title.strip() for title in rows[0][1:]] == titles
        assert coverage.with_table(page, kind, found[1].strip()) == page


def test_a_table_without_marks_has_no_place() -> None:
    with pytest.raises(ValueError, match="substring not found"):
        coverage.with_table("# A page", "agreement", "| a |")


def test_studies_of_errors_have_the_design_they_are_asked_for() -> None:
    scenario = Errors("here", images=90, doubles=30, annotators=3)
    frame = coverage.errors_study(scenario, np.array([-1.0, 0.0, 1.0]), np.random.default_rng(1))
    assert sorted(np.bincount(frame.image_codes)) == [1] * 60 + [2] * 30
    assert not frame.annotations.duplicated(["image", "annotator"]).any()
    assert [len(frame.labels(name)) for name in ("annotator", "generator", "prompt")] == [3, 3, 10]
    assert frame.scores == pytest.approx(frame.cell_scores.sum(axis=1))
    strict, middle, lenient = (part.mean() for part in frame.parts("annotator", frame.scores).values())
    assert strict > middle > lenient
    zeros = next(scenario for scenario in AGREEMENT if scenario.name == "73% of scores are 0")
    many = coverage.errors_study(replace(zeros, images=4000), np.zeros(4), np.random.default_rng(3))
    assert (many.scores == 0).mean() == pytest.approx(0.73, abs=0.03)


@pytest.mark.parametrize("scenario", COMPARISON, ids=lambda scenario: scenario.name)
def test_studies_of_scores_have_the_design_they_are_asked_for(scenario: Scores) -> None:
    frame = coverage.scores_study(scenario, np.random.default_rng(1))
    images = scenario.generators * scenario.prompts * scenario.images
    assert np.bincount(np.bincount(frame.image_codes)).tolist() == [0, images * 0.75, images * 0.25]
    assert not frame.annotations.duplicated(["image", "annotator"]).any()
    assert len(frame.labels("prompt")) == scenario.prompts
    if scenario.counts:
        assert set(frame.scores) <= set(range(26))
    else:
        assert (frame.scores == 0).mean() == pytest.approx(scenario.zeros, abs=0.01)
    counts = np.zeros((scenario.generators, scenario.annotators))
    np.add.at(counts, (frame.codes("generator"), frame.codes("annotator")), 1)
    assert bool(np.ptp(counts, axis=0).max() > images / 8) == bool(scenario.skew)


def test_a_scenario_has_a_cell_for_each_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "MANY_IMAGES", 2000)
    monkeypatch.setattr(coverage, "MANY_ANNOTATORS", 20)
    two = next(scenario for scenario in AGREEMENT if scenario.name == "2 annotators")
    cells = coverage.of_agreement(two, 2)
    # Two annotators are too few for an interval over annotators.
    assert [cell == "–" for cell in cells] == [title == "over annotators too" for title, *_ in ALPHAS]
    assert cells == coverage.of_agreement(two, 2)
    assert all(re.fullmatch(r"\d+%; \d+%", cell) for cell in coverage.of_comparison(COMPARISON[0], 2))


def test_readings_have_the_design_they_are_asked_for() -> None:
    frame = coverage.readings_study(DETECTION[1], np.random.default_rng(1))
    assert (len(frame), len(frame.real), len(frame.labels("annotator"))) == (96, 12, 4)
    cells = coverage.of_detection(DETECTION[0], 3)
    assert all(re.fullmatch(r"\d+%; 0\.\d\d [±−+]0\.\d\d", cell) for cell in cells)
    assert cells == coverage.of_detection(DETECTION[0], 3)


@pytest.mark.thorough
def test_tests_over_images_find_what_prompts_and_annotators_share() -> None:
    by_image, mixed = coverage.of_comparison(COMPARISON[0], 50)
    held, clear = (int(share) for share in re.findall(r"\d+", by_image))
    assert held < 85
    assert clear > 15
    held, clear = (int(share) for share in re.findall(r"\d+", mixed))
    assert held >= 90
    assert clear <= 10
