"""Coefficients beside alpha, against R (lme4 1.1-31, psych 2.2.9) and by hand."""

from __future__ import annotations

import pytest

from analysis.stats.agreement.agreement import agreement
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed, rated


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    """R 4.2.2; `x` and `y` are the scores of the first and second annotator of each of the 60 images.

    cor(x, y) and cor(round(x, 9), round(y, 9), method = "spearman"); Gwet's AC1 of the 1,500 cells,
    (po - pe) / (1 - pe) with pe = 2 * pi * (1 - pi) and pi the mean share of marked cells;
    lmer(score ~ 1 + (1 | annotator) + (1 | image)) (REML) for ICCs.
    """
    result = agreement(study_frame)
    found = result["coefficients"]
    values = {
        name: each["value"] for name, each in found.items() if isinstance(each, dict) and "value" in each
    }
    assert values == pytest.approx(
        {
            "raw_agreement": 1234 / 1500,
            "positive_agreement": 2 * 170 / 606,
            "negative_agreement": 2 * 1064 / 2394,
            "gwet_ac1": 0.7382951,
        },
        rel=1e-6,
    )
    assert (found["pearson"], found["spearman"]) == pytest.approx((0.6677332, 0.5367203), abs=1e-7)
    # lmer(score ~ 1 + (1|annotator) + (1|image)): 1.7154360, 0.4062536 and 0.6459055 over all images.
    every, doubles = found["all_annotations"], found["doubly_annotated"]
    assert every["icc_agreement"]["value"] == pytest.approx(0.6198287, abs=1e-5)
    assert every["icc_consistency"]["value"] == pytest.approx(0.7264672, abs=1e-5)
    assert doubles["icc_agreement"]["value"] == pytest.approx(0.58168, abs=1e-5)
    assert doubles["icc_consistency"]["value"] == pytest.approx(0.68310, abs=1e-5)
    # By the delta method with lmerTest's covariance of the variance parameters (vcov_varpar).
    assert [each[end] for of in (every, doubles) for each in of.values() for end in ("low", "high")] == (
        pytest.approx(
            [
                *(0.4273717, 0.7807819, 0.6043692, 0.8219821),
                *(0.3796788, 0.7595553, 0.5333926, 0.8025547),
            ],
            abs=1e-5,
        )
    )
    kappas = {tuple(pair["annotators"]): pair["weighted_kappa"] for pair in result["pairs"]}
    # psych::cohen.kappa. Seven images are too few to cut bands from.
    assert kappas["anno1", "anno2"] == pytest.approx(0.3888888889)
    assert kappas["anno2", "anno4"] is None
    estimates = {tuple(pair["annotators"]): pair["weighted_kappa_estimate"] for pair in result["pairs"]}
    assert estimates["anno1", "anno2"]["value"] == kappas["anno1", "anno2"]
    assert estimates["anno1", "anno2"]["low"] < 0 < estimates["anno1", "anno2"]["high"]


def test_three_annotators_count_every_pair() -> None:
    hands, face = {"missing.hands": "1/4c"}, {"missing.face": "1/1a"}
    rows = [
        rated(i, who, cells) for i in range(6) for who, cells in (("a", hands), ("b", hands), ("c", face))
    ]
    found = agreement(framed(*rows))["coefficients"]
    # Of 3 pairs of ratings one agrees on hands and one on the face; the other 23 cells are empty.
    assert found["raw_agreement"]["value"] == pytest.approx((23 + 1 / 3 + 1 / 3) / 25)
    # Hands: 2 markers who each find 1 of 2 others; face: 1 marker who finds none.
    assert found["positive_agreement"]["value"] == pytest.approx(1 / 3)


def test_too_little_says_why() -> None:
    found = agreement(framed(*(rated(i, who, {}) for i in range(5) for who in "ab")))["coefficients"]
    assert found["positive_agreement"]["refused"] == "no cell is marked, or every cell is"
    assert found["raw_agreement"]["value"] == 1
    assert (found["pearson"], found["all_annotations"]["icc_agreement"]["refused"]) == (
        None,
        "all scores are equal",
    )
    nothing = agreement(framed())["coefficients"]
    assert nothing["raw_agreement"]["refused"] == "too few: 0 images"
    assert nothing["doubly_annotated"]["icc_consistency"]["refused"] == "too few: 0 images"
