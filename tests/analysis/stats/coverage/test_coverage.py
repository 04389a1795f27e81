"""The simulations behind the statements on intervals, with few runs."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.coverage import simulation
from analysis.stats.coverage.scenarios import SCENARIOS, Scenario, evenly_spread, study
from analysis.stats.coverage.simulation import DIFFERENCE, OF_PAIRS, Tally, simulated
from analysis.stats.coverage.table import _biased, bias_table, coverage_table
from analysis.stats.estimates import estimate, refused


def test_a_study_has_the_design_it_is_asked_for() -> None:
    scenario = Scenario("here", images=90, doubles=30, annotators=3)
    frame = study(scenario, evenly_spread(scenario), np.random.default_rng(1))
    assert (len(frame), frame.image_codes.max() + 1) == (120, 90)
    assert sorted(np.bincount(frame.image_codes)) == [1] * 60 + [2] * 30
    assert not frame.annotations.duplicated(["image", "annotator"]).any()
    assert [len(frame.labels(name)) for name in ("annotator", "generator", "prompt")] == [3, 3, 10]
    assert frame.scores == pytest.approx([float(frame.exact_score(row)) for row in range(120)])


def test_habits_are_what_the_scenario_says() -> None:
    of = {scenario.name: scenario for scenario in SCENARIOS}

    def means(name: str) -> list[float]:
        scenario = of[name]
        frame = study(scenario, evenly_spread(scenario), np.random.default_rng(2), 4000, 0)
        return [float(part.mean()) for part in frame.parts("annotator", frame.scores).values()]

    assert np.ptp(means("equally lenient annotators")) < 0.2
    strict_first = means("very different leniency")
    assert strict_first == sorted(strict_first, reverse=True)
    assert strict_first[0] > 3 * strict_first[-1]
    zeros = of["73% of scores are 0"]
    scores = study(zeros, evenly_spread(zeros), np.random.default_rng(3), 4000, 0).scores
    assert (scores == 0).mean() == pytest.approx(0.73, abs=0.02)
    uneven = of["unbalanced assignment"]
    frame = study(uneven, evenly_spread(uneven), np.random.default_rng(4), 4000, 0)
    assert np.bincount(frame.codes("annotator")) / 4000 == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=0.03)


def test_a_tally_counts_intervals_with_the_truth_inside() -> None:
    tally = Tally(0.5)
    for low, high in ((0.4, 0.6), (0.55, 0.7), (0.5, 0.9), (0.1, 0.2)):
        tally.add(estimate(low, low, high, n_units=9, method=""))
    tally.add(refused("too few", method=""))
    assert tally.coverage == 0.5
    assert tally.bias == pytest.approx((0.4 + 0.55 + 0.5 + 0.1) / 4 - 0.5)
    assert (Tally(0.5).coverage, Tally(0.5).bias) == (None, None)


def test_errors_are_signed_and_zero_is_not() -> None:
    tallies = [Tally(truth, [value]) for truth, value in ((0.5, 0.42), (0.5, 0.5041), (-0.001, -0.0012))]
    assert [_biased(tally) for tally in tallies] == ["0.50 −0.08", "0.50 ±0.00", "0.00 ±0.00"]
    assert _biased(Tally(0.5)) == "–"


@pytest.mark.thorough
def test_a_scenario_in_few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "MANY_IMAGES", 4000)
    monkeypatch.setattr(simulation, "MANY_ANNOTATORS", 40)
    told: list[tuple[int, int]] = []
    scenario = Scenario("a few", images=80, doubles=40, leniency=0.0)
    found = simulated(scenario, 12, lambda done, runs: told.append((done, runs)))
    assert told == [(run, 12) for run in range(1, 13)]
    assert {
        len(found.these[name].values) for name in ("cells", "cumulative_score", DIFFERENCE, OF_PAIRS)
    } == {12}
    assert abs(found.these[DIFFERENCE].truth) < 0.02
    assert (found.these["cells"].coverage or 0) > 0.7
    assert (found.others_two_way["cells"].coverage or 0) > 0.7
    assert abs(found.these["cells"].bias or 1) < 0.05
    # The same scenario gives the same studies.
    again = simulated(scenario, 2)
    assert again.these["cells"].values == found.these["cells"].values[:2]
    row = coverage_table([found]).splitlines()[-1]
    assert row.startswith("| a few | ")
    assert row.count("|") == coverage_table([found]).splitlines()[0].count("|") == 11
    assert bias_table([found]).splitlines()[-1].endswith("% |")
