"""Intervals hold what they promise, and planted leniency is taken out: simulated studies, seeded."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.comparison.adjusted import fitted
from analysis.stats.comparison.welch import sample, welch_from, welch_test
from analysis.stats.frames import Floats, Ints

STUDIES = 600
IMAGES = 60
TRUE = 0.5
LENIENCY = np.array([0.0, 0.8, -0.4])


def study(rng: np.random.Generator) -> tuple[Floats, Ints, Ints, Ints]:
    """Scores, generators, annotators and images: every third image judged by two of three people.

    Images differ, generators by 0.5 and in spread; the lenient person judges more of the first generator.
    """
    images = np.sort(np.concatenate([np.arange(IMAGES), np.arange(0, IMAGES, 3)]))
    generators = images % 2
    of_image = TRUE * (np.arange(IMAGES) % 2) + rng.gamma(2, 0.25 * (1 + np.arange(IMAGES) % 2), IMAGES)
    of_image -= 0.5 * (1 + np.arange(IMAGES) % 2)
    chance = np.where(generators[:, None] == 0, [0.5, 0.2, 0.3], [0.2, 0.5, 0.3]).cumsum(axis=1)
    annotators = (rng.random(len(images))[:, None] > chance).sum(axis=1)
    noise = rng.normal(0, 0.2, len(images))
    return of_image[images] + LENIENCY[annotators] + noise, generators, annotators, images


def test_adjusted_intervals_hold_the_planted_difference() -> None:
    """95% of 600 studies, give or take three standard errors of 0.9%."""
    rng = np.random.default_rng(5)
    held, raw = 0, []
    for _ in range(STUDIES):
        scores, generators, annotators, images = study(rng)
        _, fit = fitted(scores, generators, annotators, images)
        assert fit is not None
        gap = fit.means[1] - fit.means[0]
        error = (fit.covariance[0, 0] + fit.covariance[1, 1] - 2 * fit.covariance[0, 1]) ** 0.5
        held += abs(gap - TRUE) < 2.0010 * error  # t of 59 degrees of freedom
        raw.append(scores[generators == 1].mean() - scores[generators == 0].mean())
    assert held / STUDIES == pytest.approx(0.95, abs=0.027)
    assert np.mean(raw) > TRUE + 0.15  # what is planted would be mistaken for the generator's


def test_over_images_welch_keeps_its_level_and_over_rows_it_does_not() -> None:
    """Without any difference and with every image doubly annotated, 5% of tests may say there is one."""
    rng = np.random.default_rng(6)
    by_image = by_row = 0
    for _ in range(STUDIES):
        of_image = rng.gamma(2, 1, IMAGES)
        rows = np.repeat(of_image, 2) + rng.normal(0, 0.3, 2 * IMAGES)
        averaged = rows.reshape(-1, 2).mean(axis=1)
        by_image += welch_from(sample(averaged[::2]), sample(averaged[1::2]))["p"] < 0.05
        first = np.repeat(np.arange(IMAGES) % 2 == 0, 2)
        p = welch_test(rows[first], rows[~first])["p"]
        assert p is not None
        by_row += p < 0.05
    assert by_image / STUDIES == pytest.approx(0.05, abs=0.027)
    assert by_row / STUDIES > 0.12
