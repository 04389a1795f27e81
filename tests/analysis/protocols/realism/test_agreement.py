"""Agreement of realism beside the worked table, the krippendorff package and the analysis of variance."""

from __future__ import annotations

import json
from typing import Literal

import krippendorff
import numpy as np
import pytest

from analysis.protocols.realism.agreement import NO_MEAN, correlations, realism_agreement
from analysis.protocols.realism.images import RatedImages
from tests.analysis.protocols.realism.making import WORKED, rated
from tests.analysis.stats.generic.making import rows_of


def test_the_three_alphas_of_the_worked_table() -> None:
    rows = rows_of(realism_agreement(rated(WORKED)), "overall")
    found = {(row["variable"], row["level"]): (row["alpha"]["value"], row["images"]) for row in rows}
    assert found == {
        ("Realism", "ordinal"): (pytest.approx(0.872004, abs=5e-7), 5),
        ("Realism, equal steps", "interval"): (pytest.approx(0.895182, abs=5e-7), 5),
        ("Valid or invalid", "nominal"): (pytest.approx(0.302885, abs=5e-7), 6),
    }


def test_the_alphas_are_those_of_the_krippendorff_package() -> None:
    draw = np.random.default_rng(3)
    truth = draw.integers(1, 11, 40)
    ratings = np.clip(truth + draw.integers(-2, 3, (5, 40)), 1, 10)
    table = {f"r{rater}": " ".join(map(str, row)) for rater, row in enumerate(ratings)}
    rows = rows_of(realism_agreement(rated(table)), "overall")
    levels: list[Literal["ordinal", "interval"]] = ["ordinal", "interval"]
    for row, level in zip(rows, levels, strict=False):
        expected = krippendorff.alpha(ratings.astype(float), level_of_measurement=level)
        assert row["alpha"]["value"] == pytest.approx(expected, abs=1e-12)
        assert row["alpha"]["low"] < expected < row["alpha"]["high"]


def test_the_intraclass_correlations_of_the_worked_table() -> None:
    rows = rows_of(realism_agreement(rated(WORKED)), "icc")
    assert [row["of"] for row in rows] == ["one rating", "the mean of 5 ratings"]
    assert [row["icc"]["value"] for row in rows] == [
        pytest.approx(0.910473, abs=5e-7),
        pytest.approx(0.980713, abs=5e-7),
    ]


def test_the_mean_squares_of_the_worked_table() -> None:
    images = RatedImages(rated(WORKED))
    per_image = [images.counted[images.codes == code] for code in range(len(images.first))]
    groups = [own[~np.isnan(own)] for own in per_image if not np.isnan(own).all()]
    n = np.array([len(own) for own in groups])
    mean = np.concatenate(groups).mean()
    msb = sum(len(own) * (own.mean() - mean) ** 2 for own in groups) / (len(n) - 1)
    msw = sum(((own - own.mean()) ** 2).sum() for own in groups) / (n.sum() - len(n))
    k0 = (n.sum() - (n**2).sum() / n.sum()) / (len(n) - 1)
    assert (round(msb, 3), round(msw, 5), round(k0, 4)) == (48.683, 0.97895, 4.7917)
    one, _, _ = correlations(images)
    assert one["value"] == pytest.approx((msb - msw) / (msb + (k0 - 1) * msw), abs=1e-12)


def test_a_balanced_correlation_is_that_of_the_analysis_of_variance() -> None:
    # P. E. Shrout and J. L. Fleiss (1979), table 2: four judges, six targets; ICC(1,1) 0.17, ICC(1,k) 0.44.
    judges = {"a": "9 6 8 7 10 6", "b": "2 1 4 1 5 2", "c": "5 3 6 2 6 4", "d": "8 2 8 6 9 7"}
    one, several, raters = correlations(RatedImages(rated(judges)))
    assert raters == 4
    assert one["value"] is not None
    assert several["value"] is not None
    assert (round(one["value"], 2), round(several["value"], 2)) == (0.17, 0.44)


def test_too_few_images_are_refused() -> None:
    one, _, _ = correlations(RatedImages(rated({"a": "1 5 9", "b": "2 5 8"})))
    assert (one["value"], one["refused"]) == (None, "too few: 3 images")
    assert rows_of(realism_agreement(rated({"a": "1 x"})), "icc") == []


def test_the_correlations_of_a_group_are_those_of_its_images_alone() -> None:
    table = {name: f"{said} {said}" for name, said in WORKED.items()} | {"f": "- - - - - - 9 9 9 9 9 9"}
    generators, prompts = ["gA"] * 6 + ["gB"] * 6, ["a man", "a woman"] * 6
    result = realism_agreement(rated(table, generators, prompts))
    first, second = rows_of(result, "icc_by_generator")
    assert first == {
        "generator": "gA",
        "icc": {**first["icc"], "value": pytest.approx(0.910473, abs=5e-7), "n_units": 5, "n_coders": 5},
        "icc_mean": {**first["icc_mean"], "value": pytest.approx(0.980713, abs=5e-7)},
        "ratings": 5,
        "images": 5,
    }
    others = {name: said.removeprefix("- - - - - - ") for name, said in {**WORKED, "f": table["f"]}.items()}
    one, several, raters = correlations(RatedImages(rated(others)))
    assert (second["icc"], second["icc_mean"], second["ratings"]) == (one, several, raters)
    assert first["icc"]["low"] < first["icc"]["value"] < first["icc"]["high"]
    by_prompt = rows_of(result, "icc_by_prompt")
    assert [(row["prompt"], row["images"], row["ratings"]) for row in by_prompt] == [
        ("a man", 4, 6),
        ("a woman", 6, 6),
    ]
    assert by_prompt[0]["icc"]["refused"] == "too few: 4 images"


# Invented: under the second generator, the two ratings of every image are 9 and 10.
CEILING = {
    "c1": "7 8 8 4 4 6 8 6 4 6 7 8 4 3 8 5 7 3 4 6 9 10 9 10 10 9 10 10 10 9 10 9 10 9 10 10 9 10 10 9",
    "c2": "8 8 8 5 3 5 9 6 4 7 7 9 4 2 7 6 6 3 4 5 10 9 10 9 9 10 9 9 9 10 9 10 9 10 9 9 10 9 9 10",
}
GENERATORS = ["sdxl"] * 20 + ["dall-e3"] * 20


def test_a_correlation_of_means_that_is_infinite_has_a_reason_and_nothing_else_falls() -> None:
    result = realism_agreement(rated(CEILING, GENERATORS))
    json.dumps(result, allow_nan=False)
    ceiling, other = rows_of(result, "icc_by_generator")
    assert (ceiling["generator"], ceiling["icc"]["value"]) == ("dall-e3", pytest.approx(-1))
    assert (ceiling["icc_mean"]["value"], ceiling["icc_mean"]["refused"]) == (None, NO_MEAN)
    assert other["icc_mean"]["value"] == pytest.approx(_of_means(CEILING, slice(0, 20)))
    ordinal, *_ = rows_of(result, "overall")
    ratings = np.array([text.split() for text in CEILING.values()], dtype=np.float64)
    expected = krippendorff.alpha(ratings, level_of_measurement="ordinal")
    assert ordinal["alpha"]["value"] == pytest.approx(expected, abs=1e-12)


def _of_means(table: dict[str, str], images: slice) -> float:
    """ICC(1,k) of a balanced table by the analysis of variance: (MSB - MSW) / MSB."""
    ratings = np.array([text.split() for text in table.values()], dtype=np.float64)[:, images]
    between = len(ratings) * ratings.mean(axis=0).var(ddof=1)
    within = ratings.var(axis=0, ddof=1).mean()
    return float((between - within) / between)


@pytest.mark.parametrize("images", [5, 6, 7, 20])
def test_values_that_are_infinite_without_one_image_or_in_resamples_have_reasons(images: int) -> None:
    """All images but one are at the ceiling: without it, the correlation of means is infinite."""
    table = {"c1": "4 " + "9 " * (images - 1), "c2": "5 " + "10 " * (images - 1)}
    result = realism_agreement(rated(table))
    json.dumps(result, allow_nan=False)
    for row in rows_of(result, "icc"):
        assert row["icc"]["value"] is not None
        assert (row["icc"]["low"] is None) == (row["icc"]["refused"] is not None)
