"""The comparison report, of anatomy and of any protocol; its tests beside scipy and R."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.comparison.generators import BY_ANNOTATION, BY_IMAGE, LOG
from analysis.stats.comparison.generic import comparison as of_values
from analysis.stats.comparison.welch import Sample, holm, welch_test
from analysis.stats.estimates import TOO_WIDE
from analysis.stats.frames import Floats, RatingsFrame, build_frame
from analysis.stats.generic.tables import rows_of
from analysis.stats.means import ONE_IMAGE
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import CELL_BY_KEY
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import presence, stars


def small() -> RatingsFrame:
    """Two generators; image 1 is judged twice."""
    return framed(
        rated(1, "ada", {"missing.face": "1/2c"}, generator="x", prompt="q", prompt_group="group"),
        rated(
            1,
            "bo",
            {"missing.face": "1/2c", "extra.hands": "1/4c"},
            generator="x",
            prompt="q",
            prompt_group="group",
        ),
        rated(2, "ada", {"extra.hands": "3/4c,1/4b"}, generator="x", prompt="r", prompt_group="individual"),
        rated(3, "bo", {}, generator="y", prompt="q", prompt_group="group"),
    )


def test_generators_over_images_and_as_published() -> None:
    """Image 1 counts 5/8 and image 2 counts 7/8: mean 3/4, and t with one degree of freedom is 12.7062.

    The interval would begin at −0.84, but no mean is below 0.
    """
    first, second = rows_of(comparison(small()), "generators")
    half = 12.7062047 / 8
    assert first["mean"] == {
        "value": 0.75,
        "low": 0.0,
        "high": pytest.approx(0.75 + half),
        "n_units": 2,
        "n_coders": 2,
        "method": "t",
        "refused": None,
    }
    assert (first["annotations"], first["images"], first["variance"], first["median"]) == (
        3,
        2,
        0.03125,
        0.75,
    )
    assert [first[severity] for severity in "abc"] == [0.0, 0.125, 0.6875]
    variance = Fraction(1, 2) ** 2 + Fraction(3, 4) ** 2 + Fraction(7, 8) ** 2
    variance = (variance - 3 * Fraction(17, 24) ** 2) / 2
    assert first["annotation_mean"]["value"] == pytest.approx(17 / 24)
    assert first["annotation_variance"] == pytest.approx(float(variance))
    assert (second["annotations"], second["images"], second["variance"], second["clean"]) == (1, 1, None, 1)
    assert (second["mean"]["value"], second["mean"]["refused"]) == (0.0, ONE_IMAGE)


def test_images_without_errors() -> None:
    """Image 1 has an error in one of two annotations, and a weight of 0 leaves it one."""
    rows = [
        rated(1, "ada", {"missing.face": "1/2a"}),
        rated(1, "bo", {}),
        rated(2, "ada", {}),
        rated(3, "ada", {"missing.face": "1/2c"}),
    ]
    frame = build_frame(rows, {**DEFAULT_WEIGHTS, "a": Fraction(0)})
    for adjudicated in (None, {3: np.zeros((25, 3))}):
        (row,) = rows_of(comparison(frame, adjudicated=adjudicated), "generators")
        assert row["clean"] == 1


def test_kinds_of_error_share_out_the_score() -> None:
    """Over images: 1 has 1/2 missing faces and 1/8 extra hands, 2 has 3/4 + 1/8 extra hands, 3 nothing."""
    result = comparison(small())
    types = {row["error_type"]: row["mean"]["value"] for row in rows_of(result, "error_types")}
    assert list(types.values()) == pytest.approx([1 / 6, 1 / 3, 0, 0, 0])
    parts = {row["body_part"]: (row["mean"]["value"], row["c"]) for row in rows_of(result, "body_parts")}
    assert list(parts.values()) == [
        (0, 0),
        (0, 0),
        (0, 0),
        pytest.approx((1 / 3, 7 / 24)),
        pytest.approx((1 / 6, 1 / 6)),
    ]


def test_weights_that_turn_the_order() -> None:
    rows = [
        rated(k, "ada", {"missing.face": "2/3a" if k % 2 else "1/4c"}, generator="xy"[k % 2])
        for k in range(4)
    ]
    found = rows_of(comparison(framed(*rows)), "weights")
    assert [(row["weighting"], row["order"]) for row in found] == [
        ("all severities equal", "x, y"),
        ("only c", "y, x"),
        ("published", "y, x"),
    ]
    assert [row["generator y"] for row in found] == pytest.approx([2 / 3, 0, 0.4 / 3])


def test_the_published_study(study_comparison: dict[str, Any]) -> None:
    result = study_comparison
    generators = {
        row["generator"]: (
            row["annotations"],
            row["images"],
            round(row["annotation_mean"]["value"], 4),
            round(row["annotation_variance"], 4),
        )
        for row in rows_of(result, "generators")
    }
    assert generators == {
        "dall-e3": (100, 80, 0.8200, 0.7227),
        "sdxl": (100, 80, 2.0666, 2.7222),
        "stablecascade": (100, 80, 1.8008, 3.6878),
    }
    means = [row["mean"]["value"] for row in rows_of(result, "generators")]
    for name in ("error_types", "body_parts"):
        assert sum(row["mean"]["value"] for row in rows_of(result, name)) == pytest.approx(np.mean(means))
    verdicts = {(row["a"], row["b"]): row["verdict"] for row in rows_of(result, "differences")}
    assert verdicts == {
        ("dall-e3", "sdxl"): "clear",
        ("dall-e3", "stablecascade"): "at the limit",
        ("sdxl", "stablecascade"): "",
    }
    assert len(json.dumps(result)) < 120_000


# Images of a are even, of b odd; image 0 was judged twice and counts as 3.
ANSWERS = [
    (0, "A", 4), (0, "B", 2), (2, "A", 1), (4, "A", 2), (6, "B", 3),
    (1, "A", 5), (3, "B", 4), (5, "A", 4), (7, "B", 5),
]  # fmt: skip
OF_A, OF_B = [3, 1, 2, 3], [5, 4, 4, 5]


def test_means_are_over_images() -> None:
    found = rows_of(of_values(stars(ANSWERS)), "generators")
    assert [(row["generator"], row["annotations"], row["images"]) for row in found] == [
        ("a", 5, 4),
        ("b", 4, 4),
    ]
    for row, scores in zip(found, (OF_A, OF_B), strict=True):
        low, high = stats.t.interval(0.95, 3, np.mean(scores), stats.sem(scores))
        low, high = max(low, 1), min(high, 5)  # stars go from 1 to 5
        assert row["variance"] == pytest.approx(np.var(scores, ddof=1))
        assert [row["mean"][end] for end in ("value", "low", "high")] == pytest.approx(
            [np.mean(scores), low, high]
        )
    assert [row["mean"]["n_coders"] for row in found] == [2, 2]


def test_the_plain_tests_are_those_of_scipy() -> None:
    result = of_values(stars(ANSWERS))
    tests = {row["method"]: row for row in rows_of(result, "plain")}
    # Stars begin at 1, so that there is no model of log(1 + score).
    assert set(tests) == {BY_IMAGE, BY_ANNOTATION}
    for method, scores in ((BY_IMAGE, (OF_A, OF_B)), (BY_ANNOTATION, ([4, 2, 1, 2, 3], OF_B))):
        known = stats.ttest_ind(*scores, equal_var=False)
        row = tests[method]
        assert (row["a"], row["b"]) == ("a", "b")
        assert (row["p"], row["p_holm"]) == pytest.approx((known.pvalue, known.pvalue))
        interval = known.confidence_interval(0.95)
        assert [row["difference"][end] for end in ("value", "low", "high")] == pytest.approx(
            [np.mean(scores[0]) - np.mean(scores[1]), interval.low, interval.high]
        )


def test_a_difference_that_may_be_anything_has_no_interval() -> None:
    """Marked cells are 0 to 25, so no difference is beyond 25; p stays."""
    cells = " ".join(list(CELL_BY_KEY)[:12])
    answers = [(0, "A", cells), (2, "A", ""), (1, "A", cells), (3, "A", "")]
    row = next(row for row in rows_of(of_values(presence(answers)), "plain") if row["method"] == BY_IMAGE)
    assert [row["difference"][end] for end in ("value", "low", "high", "refused")] == [
        *(0.0, None, None, TOO_WIDE)
    ]
    assert (row["p"], row["p_holm"]) == (1.0, 1.0)


def sample(scores: Floats) -> Sample:
    return Sample(len(scores), float(scores.mean()), float(scores.var(ddof=1)))


def test_welch_of_the_sleep_data_equals_r() -> None:
    """`t.test(extra ~ group, data = sleep)` in R: t = -1.8608, df = 17.776, p-value = 0.07939."""
    first = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    second = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    found = welch_test(sample(first), sample(second))
    assert (round(found["t"], 4), round(found["df"], 3), round(found["p"], 5)) == (-1.8608, 17.776, 0.07939)
    # R's 95 percent confidence interval: -3.3654832 0.2054832
    assert found["difference"]["low"] == pytest.approx(-3.3654832, abs=1e-7)
    assert found["difference"]["high"] == pytest.approx(0.2054832, abs=1e-7)


def test_holm_equals_r() -> None:
    """`p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm")` in R: 0.04 0.06 0.06 0.06."""
    assert holm([0.03, None, 0.01, 0.04, 0.02]) == [
        pytest.approx(0.06),
        None,
        pytest.approx(0.04),
        pytest.approx(0.06),
        pytest.approx(0.06),
    ]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def plain(result: dict[str, Any]) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of the plain table without the method, by method."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows_of(result, "plain"):
        found.setdefault(row["method"], []).append(
            (row["a"], row["b"], row["difference"], row["p"], row["p_holm"])
        )
    return found


def test_tests_between_generators_of_the_published_study(study_comparison: dict[str, Any]) -> None:
    """Welch by image: -1.2886 [-1.691, -0.8861]; as published p 3.7e-10 and 7.1e-6 (reports of the study)."""
    found = plain(study_comparison)
    gap = found[BY_IMAGE][0][2]
    assert (round(gap["value"], 4), round(gap["low"], 4), round(gap["high"], 4)) == (-1.2886, -1.691, -0.8861)
    assert [row[3] for row in found[BY_ANNOTATION][:2]] == pytest.approx([3.7e-10, 7.1e-6], rel=0.02)
    # Holm of the second pair by the model of log(1 + score), by lmerTest.
    assert found[LOG][1][4] == pytest.approx(0.0160, abs=1e-4)


def judged(prompts: int) -> RatingsFrame:
    """Equal generators; the strictest of three annotators has most images of y, the mildest most of x."""
    rng = np.random.default_rng(3)
    strict = {"ada": 0, "bo": 20, "cy": 40}
    rows = []
    for image in range(8 * prompts):
        generator, place = "xy"[image % 2], image // 2 % 4
        mostly, also = ("ada", "cy") if generator == "x" else ("cy", "ada")
        annotator = {0: "bo", 1: also}.get(place, mostly)
        score = strict[annotator] + 20 + int(rng.integers(0, 20))
        prompt = f"prompt {image // 8}"
        cells = {"missing.face": f"{score}/99c"}
        rows.append(rated(image, annotator, cells, generator=generator, prompt=prompt))
    return framed(*rows)


def test_who_judged_what_makes_no_ranks() -> None:
    """Once, a skewed assignment ranked equal generators that the model did not tell apart."""
    result = comparison(judged(8))
    ((_, _, gap, p, _),) = plain(result)[BY_IMAGE]
    assert (gap["high"] < 0, p < 0.05) == (True, True)
    (test,) = rows_of(result, "differences")
    assert (test["p"] > 0.05, test["verdict"]) == (True, "")
    assert [row["rank"] for row in rows_of(result, "generators")] == ["1–2", "1–2"]


def test_a_rank_counts_who_is_clearly_better() -> None:
    rows = [
        rated(
            k,
            "ada",
            {"missing.face": f"{10 + 25 * (k % 3) + k % 7}/99c"},
            generator="yzx"[k % 3],
            prompt=f"{k % 8}",
        )
        for k in range(48)
    ]
    ranks = {row["generator"]: row["rank"] for row in rows_of(comparison(framed(*rows)), "generators")}
    assert ranks == {"y": "1", "z": "2", "x": "3"}


def test_ranks_need_eight_prompts() -> None:
    """Intervals of ranks hold in 72% of studies with 2 prompts, and in 89% with 3 or 4."""
    assert all("rank" not in row for row in rows_of(comparison(judged(7)), "generators"))
