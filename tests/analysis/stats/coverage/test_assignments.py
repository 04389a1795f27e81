"""The simulation behind the rule of balance, with few runs."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.coverage.assignments import ASSIGNMENTS, Assignment, _study, held
from analysis.stats.coverage.table import assignment_table


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_annotators_are_as_uneven_as_asked(assignment: Assignment) -> None:
    scores, generators, annotators, _, images = _study(assignment, np.random.default_rng(1))
    each = assignment.images
    assert np.bincount(images).tolist().count(2) == each / 2
    assert all(len({*annotators[images == image]}) == (images == image).sum() for image in range(2 * each))
    strict = np.bincount(generators[: 2 * each], annotators[: 2 * each] == 0) / each
    if assignment.how != "random":
        assert strict[0] - strict[1] == pytest.approx(assignment.apart, abs=1 / each)
    assert len(scores) == 2.5 * each


@pytest.mark.thorough
def test_skew_makes_raw_intervals_wrong_and_adjusted_ones_hold() -> None:
    even, skewed = held(Assignment(80, "balanced"), 200), held(Assignment(80, "skewed", 0.5), 200)
    assert even.raw > 0.9
    assert skewed.raw < 0.5
    assert min(even.adjusted, skewed.adjusted) > 0.88
    rows = assignment_table([even, skewed]).splitlines()[2:]
    assert rows[0].startswith("| 80 | balanced | 0 | ")
    assert rows[1].startswith("| 80 | skewed | 0.5 | ")
