"""Leniency taken out, held against least squares spelt out and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.comparison.adjusted import adjusted_for_annotator, fitted
from analysis.stats.frames import Floats, Ints, RatingsFrame
from tests.analysis.stats.conftest import framed, rated


def spelt_out(y: Floats, g: Ints, a: Ints, images: Ints) -> tuple[Floats, Floats]:
    """Coefficients and clustered covariance of y ~ generator + annotator, first generator as reference."""
    x = np.column_stack([np.eye(g.max() + 1)[g][:, 1:], np.eye(a.max() + 1)[a]])
    bread = np.linalg.inv(x.T @ x)
    rest = y - x @ bread @ x.T @ y
    sums = np.array([(x * rest[:, None])[images == k].sum(axis=0) for k in range(images.max() + 1)])
    clusters, (n, k) = len(sums), x.shape
    factor = clusters / (clusters - 1) * (n - 1) / (n - k)
    return bread @ x.T @ y, factor * bread @ sums.T @ sums @ bread


@pytest.mark.parametrize("seed", range(4))
def test_unbalanced_data_equal_least_squares_spelt_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    images = np.sort(rng.integers(0, 50, 90))
    images = np.unique(images, return_inverse=True)[1]
    g, a = (images * 7 + 1) % 3, rng.integers(0, 4, 90)
    y = 0.5 * g + a + rng.gamma(1, 1, 90)
    beta, covariance = spelt_out(y, g, a, images)
    reason, fit = fitted(y, g, a, images)
    assert reason is None
    assert fit is not None
    assert fit.means[1:] - fit.means[0] == pytest.approx(beta[:2], rel=1e-9)
    # A mean is what the average annotator gives: the mixture of annotators as they occur.
    mixture = np.bincount(a) / 90
    weights = np.array([[0, 0, *mixture], [1, 0, *mixture], [0, 1, *mixture]])
    assert fit.means == pytest.approx(weights @ beta, rel=1e-9)
    assert fit.covariance == pytest.approx(weights @ covariance @ weights.T, rel=1e-8)


def test_what_annotators_add_is_taken_out() -> None:
    """bo gives 1 more than ada to everything, and judges more of y: the raw difference is his."""
    rows = [
        rated(1, "ada", {"missing.face": "1/2c"}, generator="x"),
        rated(2, "ada", {"missing.face": "1/4c"}, generator="x"),
        rated(3, "ada", {"missing.face": "3/8c"}, generator="y"),
        rated(4, "bo", {"missing.face": "3/8c", "extra.face": "1/1c"}, generator="x"),
        rated(5, "bo", {"missing.face": "1/2c", "extra.face": "1/1c"}, generator="y"),
        rated(6, "bo", {"missing.face": "1/4c", "extra.face": "1/1c"}, generator="y"),
    ]
    found = adjusted_for_annotator(framed(*rows))
    assert found["refused"] is None
    assert found["pairs"][0]["difference"]["value"] == pytest.approx(0)
    assert [entry["mean"]["value"] for entry in found["means"]] == pytest.approx([0.875, 0.875])


def test_refusals() -> None:
    face = {"missing.face": "1/2c"}
    alone = [rated(k, "ada", face, generator="xy"[k % 2]) for k in range(6)]
    assert (
        adjusted_for_annotator(framed(*alone))["refused"]
        == "one annotator: there is no leniency to adjust for"
    )
    same = [rated(k, ("ada", "bo")[k // 2 % 2], face, generator="xy"[k % 2]) for k in range(8)]
    assert (
        adjusted_for_annotator(framed(*same))["refused"]
        == "the scores do not vary within generator and annotator"
    )
    apart = [
        rated(k, ("ada", "bo")[k % 2], {"missing.face": f"1/{k + 1}c"}, generator="xy"[k % 2])
        for k in range(8)
    ]
    found = adjusted_for_annotator(framed(*apart))
    assert (found["refused"], found["means"], found["pairs"]) == (
        "some generators were judged by annotators who judged no other",
        [],
        [],
    )
    few = [
        rated(1, "ada", face, generator="x"),
        rated(2, "ada", {}, generator="y"),
        rated(3, "bo", {}, generator="y"),
    ]
    assert (
        adjusted_for_annotator(framed(*few))["refused"]
        == "too few annotations for this many generators and annotators"
    )


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    """statsmodels 0.15: `ols("y ~ C(g) + C(a)").fit(cov_type="cluster", groups=image, use_t=True)`."""
    first = adjusted_for_annotator(study_frame)["pairs"][0]
    assert first["difference"]["value"] == pytest.approx(-1.246629577845141, rel=1e-12)
    assert first["t"] == pytest.approx(-6.879134946791116, rel=1e-9)
    assert first["p"] == pytest.approx(5.2339517106e-11, rel=1e-9)


@pytest.mark.study
def test_the_published_study_with_gaps(study_frame: RatingsFrame) -> None:
    """The same of 261 of its annotations, unbalanced."""
    f = study_frame
    g, a, images = f.codes("generator"), f.codes("annotator"), f.image_codes
    kept = (np.arange(300) * 7 % 11 != 0) & ~((g == 1) & (a == 0) & (images % 2 == 0))
    _, fit = fitted(f.scores[kept], g[kept], a[kept], np.unique(images[kept], return_inverse=True)[1])
    assert fit is not None
    assert kept.sum() == 261
    assert fit.means[1:] - fit.means[0] == pytest.approx([1.1917544801526558, 0.9313354569183495], rel=1e-12)
    errors = [(fit.covariance[0, 0] + fit.covariance[k, k] - 2 * fit.covariance[0, k]) ** 0.5 for k in (1, 2)]
    assert errors == pytest.approx([0.20153344068602472, 0.23376365380780803], rel=1e-9)
