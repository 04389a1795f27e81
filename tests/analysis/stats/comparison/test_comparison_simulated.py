"""Tests over images keep their level: simulated studies, seeded."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.comparison.welch import welch_test
from tests.analysis.stats.comparison.test_welch import sample

STUDIES = 600
IMAGES = 60


def test_over_images_welch_keeps_its_level_and_over_rows_it_does_not() -> None:
    """Without any difference and with every image doubly annotated, 5% of tests may say there is one."""
    rng = np.random.default_rng(6)
    by_image = by_row = 0
    for _ in range(STUDIES):
        of_image = rng.gamma(2, 1, IMAGES)
        rows = np.repeat(of_image, 2) + rng.normal(0, 0.3, 2 * IMAGES)
        averaged = rows.reshape(-1, 2).mean(axis=1)
        by_image += welch_test(sample(averaged[::2]), sample(averaged[1::2]))["p"] < 0.05
        first = np.repeat(np.arange(IMAGES) % 2 == 0, 2)
        p = welch_test(sample(rows[first]), sample(rows[~first]))["p"]
        assert p is not None
        by_row += p < 0.05
    assert by_image / STUDIES == pytest.approx(0.05, abs=0.027)
    assert by_row / STUDIES > 0.12
