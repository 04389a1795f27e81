"""Projects a comparison can say little of: right or refused with the reason, plain JSON, no warning."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.comparison.welch import NO_VARIANCE
from analysis.stats.frames import RatedAnnotation
from analysis.stats.means import ONE_IMAGE
from analysis.tables.generic import result_findings, result_methods, result_tables
from analysis.tables.table import as_text
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of

WEIGHTS = {"a": 0.2, "b": 0.5, "c": 1.0}


def face(share: int) -> dict[str, str]:
    return {"missing.face": f"1/{share}c"}


def varied(generators: str, annotators: str, count: int = 12) -> list[RatedAnnotation]:
    return [
        rated(
            k,
            annotators[k // 2 % len(annotators)],
            face(2 + k * 5 % 7),
            generator=generators[k % len(generators)],
            prompt=f"p{k // 3 % 3}",
        )
        for k in range(count)
    ]


CASES = {
    "nothing": [],
    "one image": [rated(1, "a", face(2))],
    "one image twice": [rated(1, "a", face(2)), rated(1, "b", face(3))],
    "one annotator": varied("xyz", "a"),
    "one generator": varied("x", "ab"),
    "no doubles": varied("xyz", "ab"),
    "all equal": [rated(k, "ab"[k % 2], face(3), generator="xyz"[k % 3]) for k in range(12)],
    "no errors at all": [rated(k, "ab"[k % 2], {}, generator="xyz"[k % 3]) for k in range(12)],
    "a generator without variance": [
        rated(
            k, "ab"[k // 2 % 2], face(3) if k % 2 else face(2 + k), generator="xy"[k % 2], prompt=f"p{k // 4}"
        )
        for k in range(12)
    ],
    "two generators, one image each": varied("xy", "ab", 2),
    "three equal thirds": [rated(k, a, face(10), generator="xy"[k % 2]) for k in range(4) for a in "abc"],
    "empty names": [
        rated(k, "a", face(k + 1), generator="xy"[k % 2], prompt="", prompt_group="") for k in range(6)
    ],
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.few(4)
def test_plain_numbers_and_words_without_a_warning(case: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = comparison(framed(*CASES[case]))
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result_findings(result)
    assert result_methods(result)
    assert all(as_text(table) for table in result_tables(result))


def reasons(case: str) -> dict[str, Any]:
    result = comparison(framed(*CASES[case]))
    plain = rows_of(result, "plain") if len(rows_of(result, "generators")) > 1 else []
    return {
        "by image": [row["difference"]["refused"] for row in plain if row["method"] == "by image"],
        "model": result["model"]["refused"],
        "mean": rows_of(result, "generators")[0]["mean"]["refused"],
    }


def test_one_image_has_a_mean_and_nothing_else() -> None:
    assert reasons("one image") == {"by image": [], "model": "fewer than 2 generators", "mean": ONE_IMAGE}


@pytest.mark.parametrize("case", ["all equal", "no errors at all"])
def test_equal_scores_are_not_tested(case: str) -> None:
    assert reasons(case) == {
        "by image": [NO_VARIANCE] * 3,
        "model": "the scores do not vary within generators",
        "mean": "all scores are equal",
    }


def test_thirds_that_add_up_unevenly_are_equal_scores() -> None:
    """(0.1 + 0.1 + 0.1) / 3 is not 0.1: rounding must not pass for variance."""
    assert reasons("three equal thirds")["by image"] == [NO_VARIANCE]


def test_a_generator_without_variance_is_compared() -> None:
    assert reasons("a generator without variance") == {"by image": [None], "model": None, "mean": None}


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("one image", "fewer than 2 generators"),
        ("two generators, one image each", "x has fewer than 2 images"),
    ],
)
def test_what_is_said_where_nothing_can_be_said(case: str, reason: str) -> None:
    (found,) = result_findings(comparison(framed(*CASES[case])))
    assert (found.kind, found.text) == ("refused", f"The generators are not compared: {reason}.")
