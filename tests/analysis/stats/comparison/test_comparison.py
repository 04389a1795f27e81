"""The comparison report of the anatomy protocol, and what all protocols share."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats.frames import RatedAnnotation, RatingsFrame, build_frame
from analysis.stats.means import ONE_IMAGE
from analysis.tables.generic import result_findings
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of


def small() -> RatingsFrame:
    """Two generators; image 1 is judged twice."""
    of_q: dict[str, Any] = {"generator": "x", "prompt": "q", "prompt_group": "group"}
    return framed(
        rated(1, "ada", {"missing.face": "1/2c"}, **of_q),
        rated(1, "bo", {"missing.face": "1/2c", "extra.hands": "1/4c"}, **of_q),
        rated(2, "ada", {"extra.hands": "3/4c,1/4b"}, generator="x", prompt="r", prompt_group="individual"),
        rated(3, "bo", {}, **of_q | {"generator": "y"}),
    )


def test_means_are_over_images() -> None:
    """Image 1 counts 5/8 and image 2 counts 7/8: mean 3/4, and t with one degree of freedom is 12.7062.

    The interval would begin at −0.84, but no mean is below 0.
    """
    first, second = rows_of(anatomy_comparison(small()), "generators")
    assert first["mean"] == {
        "value": 0.75,
        "low": 0.0,
        "high": pytest.approx(0.75 + 12.7062047 / 8),
        "n_units": 2,
        "n_coders": 2,
        "method": "t",
        "refused": None,
    }
    names = ("annotations", "images", "variance", "median", "a", "b", "c", "clean")
    assert [first[name] for name in names] == [3, 2, 0.03125, 0.75, 0, 0.125, 0.6875, 0]
    assert first["annotation_mean"]["value"] == pytest.approx(17 / 24)
    scores = np.array([1 / 2, 3 / 4, 7 / 8])
    assert first["annotation_variance"] == pytest.approx(scores.var(ddof=1))
    assert [second[name] for name in names] == [1, 1, None, 0, 0, 0, 0, 1]
    assert (second["mean"]["value"], second["mean"]["low"], second["mean"]["refused"]) == (0, None, ONE_IMAGE)


def test_a_weight_of_0_does_not_undo_an_error() -> None:
    """Image 1 has an error in one of two annotations."""
    rows = [rated(1, "ada", {"missing.face": "1/2a"}), rated(1, "bo", {}), rated(2, "ada", {})]
    frame = build_frame(rows, {**DEFAULT_WEIGHTS, "a": Fraction(0)})
    (row,) = rows_of(anatomy_comparison(frame), "generators")
    assert (row["mean"]["value"], row["clean"]) == (0, 1)


def test_error_types_and_body_parts_share_out_the_score() -> None:
    result = anatomy_comparison(small())
    types = {row["error_type"]: row["mean"]["value"] for row in rows_of(result, "error_types")}
    # Of images: 1/2, 0 and 0; 1/8, 7/8 and 0.
    assert types == pytest.approx(
        {"Missing": 1 / 6, "Extra": 1 / 3, "Configuration": 0, "Orientation": 0, "Proportion": 0}
    )
    parts = {row["body_part"]: (row["mean"]["value"], row["c"]) for row in rows_of(result, "body_parts")}
    assert parts["Hands"] == pytest.approx((1 / 3, 0.875 / 3))
    assert parts["Face"] == pytest.approx((1 / 6, 1 / 6))
    assert parts["Torso"] == parts["Limbs"] == parts["Feet"] == (0, 0)


def test_weights_are_three_rows() -> None:
    rows = rows_of(anatomy_comparison(small()), "weights")
    assert [list(row.values()) for row in rows] == [
        ["all severities equal", 1, 1, 1, "y, x", 0.8125, 0],
        ["only c", 0, 0, 1, "y, x", 0.6875, 0],
        ["published", 0.2, 0.5, 1, "y, x", 0.75, 0],
    ]


def test_means_that_differ_by_rounding_alone_keep_the_order_of_names() -> None:
    """(0.1 + 0.1 + 0.1) / 3 is not 0.1."""
    thirds = [rated(1, who, {"missing.face": "1/10c"}, generator="y") for who in "abc"]
    whole = rated(2, "a", {"missing.face": "1/10c"}, generator="x")
    rows = rows_of(anatomy_comparison(framed(*thirds, whole)), "weights")
    assert {row["order"] for row in rows} == {"x, y"}


def test_no_annotations() -> None:
    result = anatomy_comparison(framed())
    assert {table["name"]: table["rows"] for table in result["tables"]} == {
        "generators": [],
        "differences": [],
    }
    assert result["model"]["refused"] == "fewer than 2 generators"
    assert result["findings"] == [{"code": "no_model", "table": "differences", "row": None}]


def test_the_report_is_plain_json() -> None:
    result = anatomy_comparison(small())
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def study(effects: dict[str, float], prompts: int = 8) -> list[RatedAnnotation]:
    """Images of generators whose scores are a pattern plus an effect, each by two of four annotators."""
    rng = np.random.default_rng(5)
    rows: list[RatedAnnotation] = []
    for generator, effect in effects.items():
        for image in range(3 * prompts):
            for who in (image % 4, (image + 1) % 4):
                share = round(1000 * (effect + 0.3 * rng.random()))
                rows.append(
                    rated(
                        len(rows) // 2,
                        "abcd"[who],
                        {"missing.face": f"{share}/1000c"},
                        generator=generator,
                        prompt=f"p{image % prompts}",
                    )
                )
    return rows


def test_clear_differences_give_ranks_and_sentences() -> None:
    result = anatomy_comparison(framed(*study({"x": 0.1, "y": 0.11, "z": 0.6})))
    verdicts = {(row["a"], row["b"]): row["verdict"] for row in rows_of(result, "differences")}
    assert verdicts == {("x", "y"): "", ("x", "z"): "clear", ("y", "z"): "clear"}
    assert [row["rank"] for row in rows_of(result, "generators")] == ["1–2", "1–2", "3"]
    assert [(found["code"], found["row"]) for found in result["findings"]] == [
        ("better", 1),
        ("better", 2),
        ("undecided", 0),
    ]
    said = [found.text for found in result_findings(result)]
    assert [text.split(" (")[0] for text in said] == [
        "x scores lower than z",
        "y scores lower than z",
        "x or y: either may be better",
    ]
    assert all(text.endswith("for prompts and annotators like these.") for text in said[:2])


def test_below_8_prompts_there_are_no_ranks() -> None:
    (table, *_) = anatomy_comparison(framed(*study({"x": 0.1, "z": 0.6}, prompts=7)))["tables"]
    assert "rank" not in [column["name"] for column in table["columns"]]


def test_without_a_clear_difference_the_widest_interval_is_said() -> None:
    result = anatomy_comparison(framed(*study({"x": 0.1, "y": 0.11})))
    (found,) = result_findings(result)
    (row,) = rows_of(result, "differences")
    assert (found.kind, row["verdict"]) == ("open", "")
    assert found.text.startswith("No generator is clearly lower, for prompts and annotators like these; ")


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    result = anatomy_comparison(study_frame)
    generators = {
        row["generator"]: [
            row["annotations"],
            row["images"],
            round(row["annotation_mean"]["value"], 4),
            round(row["annotation_variance"], 4),
            row["rank"],
        ]
        for row in rows_of(result, "generators")
    }
    assert generators == {
        "dall-e3": [100, 80, 0.8200, 0.7227, "1"],
        "sdxl": [100, 80, 2.0666, 2.7222, "2–3"],
        "stablecascade": [100, 80, 1.8008, 3.6878, "2–3"],
    }
    assert [(row["a"], row["b"], row["verdict"]) for row in rows_of(result, "differences")] == [
        ("dall-e3", "sdxl", "clear"),
        ("dall-e3", "stablecascade", "at the limit"),
        ("sdxl", "stablecascade", ""),
    ]
    first = rows_of(result, "differences")[0]["difference"]
    assert [round(first[key], 2) for key in ("value", "low", "high")] == [-1.30, -2.13, -0.46]
    for kind in ("error_types", "body_parts"):
        whole = sum(row["mean"]["value"] for row in rows_of(result, kind))
        by_generator = [row["mean"]["value"] for row in rows_of(result, "generators")]
        assert whole == pytest.approx(np.mean(by_generator))
    assert len(json.dumps(result)) < 120_000


@pytest.mark.study
def test_the_plain_tests_of_the_published_study(study_frame: RatingsFrame) -> None:
    """Welch over annotations as printed; the model of log(1 + score) by lmerTest has Holm .0160."""
    plain: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(anatomy_comparison(study_frame), "plain"):
        plain.setdefault(row["method"], []).append(row)
    assert list(plain) == ["log(1 + score)", "by image", "by annotation, as published"]
    assert plain["log(1 + score)"][1]["p_holm"] == pytest.approx(0.0160, abs=5e-5)
    published = [row["p"] for row in plain["by annotation, as published"]]
    assert published[:2] == pytest.approx([3.7e-10, 7.1e-6], rel=0.01)
    gap = plain["by image"][0]["difference"]
    assert [round(gap[key], 4) for key in ("value", "low", "high")] == [-1.2886, -1.691, -0.8861]


@pytest.mark.study
def test_the_sentence_of_the_published_study(study_frame: RatingsFrame) -> None:
    found, undecided = result_findings(anatomy_comparison(study_frame))
    assert undecided.text.startswith("sdxl or stablecascade: either may be better (0.32 [−0.52, 1.15], p = ")
    assert found.text == (
        "dall-e3 scores lower than sdxl (−1.30 [−2.13, −0.46], p = 0.015 after Holm) and stablecascade "
        "(−0.98 [−1.82, −0.14], p = 0.049 after Holm, at the limit), for prompts and annotators like these."
    )
