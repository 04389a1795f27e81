"""What a comparison says of leniency: two tests of the same annotations, and a refused one is no number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from analysis.tables.comparison.findings import Finding, findings
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.conftest import framed, rated

FACE = [cell.key for cell in CELLS].index("missing.face")


def of_leniency(result: Any) -> list[Finding]:
    return [found for found in findings(result) if "leni" in found.text]


def one(image: int, annotator: str, tenths: int, generator: str) -> RatedAnnotation:
    cells = {"missing.face": f"{tenths}/10c"} if tenths else {}
    return rated(image, annotator, cells, generator=generator)


def explained() -> RatingsFrame:
    """bo gives 1/10 more than ada to everything; beyond that only scores of z vary."""
    tenths = {("x", "ada"): (1, 1), ("y", "ada"): (5, 5), ("z", "ada"): (2, 4)}
    rows = [
        one(len(tenths) * 100 * k + place, annotator, value + more, generator)
        for k, (annotator, more) in enumerate((("ada", 0), ("bo", 1)))
        for place, (generator, value) in enumerate(
            (generator, value) for (generator, _), values in tenths.items() for value in values * 2
        )
    ]
    return framed(*rows)


def test_a_refused_test_is_said_to_be_refused_and_why() -> None:
    result = comparison(explained())
    pair = result["adjusted_for_annotator"]["pairs"][0]
    assert (pair["a"], pair["b"], pair["p"], pair["p_holm"]) == ("x", "y", None, None)
    assert pair["unadjusted"]["p_holm"] < 0.001
    assert result["generator_comparisons"][0]["p_holm"] < 0.001
    assert Finding(
        "refused", "x and y cannot be tested with adjustment for the annotators' leniency: no variance."
    ) in of_leniency(result)
    assert not any("x and y no longer" in found.text for found in findings(result))


def lenient() -> RatingsFrame:
    """Two generators; who judged one is stricter than who judged most of the other."""
    rows = []
    for image in range(40):
        generator, turn = "xy"[image % 2], image // 2
        strict = (turn % 5 == 0) == (generator == "x")
        rows.append(one(image, "bo" if strict else "ada", turn % 4 + 5 * strict, generator))
    return framed(*rows)


def test_leniency_is_what_changes_between_the_two_tests() -> None:
    result = comparison(lenient())
    (pair,) = result["adjusted_for_annotator"]["pairs"]
    assert pair["unadjusted"]["p_holm"] < 0.05 < pair["p_holm"]
    (said,) = of_leniency(result)
    assert said.text.startswith("Adjusted for the annotators' leniency, x and y no longer differ clearly: ")
    assert f"p = {pair['p_holm']:.3f}, unadjusted p < 0.001" in said.text
    assert "adjudicated" not in said.text


def test_adjudicated_values_do_not_pass_for_leniency() -> None:
    """Settled values turn the test over images around; what is said of leniency stays what it was."""
    frame = lenient()
    settled = {image: np.zeros((25, 3)) for image in range(1, 40, 2)}
    for fractions in settled.values():
        fractions[FACE, 2] = 0.2
    plain, decided = comparison(frame), comparison(frame, adjudicated=settled)
    assert decided["settings"]["images_adjudicated"] == 20
    assert decided["adjusted_for_annotator"] == plain["adjusted_for_annotator"]
    (over_images,) = decided["generator_comparisons"]
    # Over images nothing is clear any more: against that test, leniency would seem to change nothing.
    assert over_images["p_holm"] > 0.05 > plain["generator_comparisons"][0]["p_holm"]
    (said,) = of_leniency(decided)
    assert "no longer differ clearly" in said.text
    assert said.text.endswith("Both tests use the original annotations instead of the 20 adjudicated values.")


@pytest.mark.thorough
def test_without_annotators_the_means_are_the_raw_ones(study_frame: RatingsFrame) -> None:
    """statsmodels' `ols("y ~ C(g)").fit(cov_type="cluster", groups=image, use_t=True)`, written out."""
    (pair, *_) = comparison(study_frame)["adjusted_for_annotator"]["pairs"]
    codes, images, scores = study_frame.codes("generator"), study_frame.image_codes, study_frame.scores
    means = np.array([scores[codes == code].mean() for code in range(3)])
    shares = np.where(codes == 0, 1.0, np.where(codes == 1, -1.0, 0.0)) / np.bincount(codes)[codes]
    by_image = np.bincount(images, shares * (scores - means[codes]))
    error = (len(by_image) / (len(by_image) - 1) * 299 / 297 * (by_image**2).sum()) ** 0.5
    raw = pair["unadjusted"]
    assert raw["difference"]["value"] == pytest.approx(means[0] - means[1], rel=1e-12)
    assert raw["t"] == pytest.approx((means[0] - means[1]) / error, rel=1e-9)
    assert raw["df"] == 239
