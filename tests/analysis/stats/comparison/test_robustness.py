"""The comparison under other choices, held against computing it anew."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.stats.comparison import robustness as module
from analysis.stats.comparison.comparison import comparison
from analysis.stats.comparison.generators import generator_comparisons
from analysis.stats.comparison.robustness import robustness
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import image_table
from tests.analysis.stats.conftest import framed, rated

RANKS = (8.97235683e-12, 5.12770732e-06, 1.19593394e-02)
LOGS = (3.92527389e-11, 6.09837997e-06, 5.91263048e-02)
WITHOUT_SUNBATHING = 1.47766628e-02


def frame() -> RatingsFrame:
    """Three generators, four prompts, three annotators; every second image is judged twice."""
    return framed(
        *(
            rated(
                k,
                "abc"[(k + twice) % 3],
                {"missing.face": f"{1 + k * 7 % 11 + k % 3 + twice}/20{'cb'[k % 2]}"},
                generator="xyz"[k % 3],
                prompt=f"p{k // 3 % 4}",
            )
            for k in range(36)
            for twice in range(1 + k % 2)
        )
    )


def rows(found: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if row["kind"] == kind]


@pytest.mark.parametrize(
    ("kind", "column"), [("without_prompt", "prompt"), ("without_annotator", "annotator")]
)
def test_leaving_out_is_computing_without(kind: str, column: str) -> None:
    whole = frame()
    found = rows(robustness(image_table(whole), {}), kind)
    assert [row[column] for row in found] == whole.labels(column)
    for place, row in enumerate(found):
        tests = generator_comparisons(image_table(whole.only(whole.codes(column) != place)))
        for pair, test in zip(row["pairs"], tests, strict=True):
            assert pair["difference"] == pytest.approx(test["difference"]["value"])
            assert (pair["low"], pair["high"]) == pytest.approx(
                (test["simultaneous"]["low"], test["simultaneous"]["high"])
            )
            assert pair["p_holm"] == pytest.approx(test["p_holm"])


def test_an_adjudicated_image_stays_when_an_annotator_is_left_out() -> None:
    whole = frame()
    decided = np.zeros((25, 3))
    decided[0, 2] = 5.0
    table = image_table(whole, {1: decided})
    found = rows(robustness(table, {}), "without_annotator")
    values, generators = table.scores, table.codes("generator")
    for place, row in enumerate(found):
        rest = image_table(whole.only(whole.codes("annotator") != place), {1: decided})
        if 1 not in rest.frame.annotations["image"].to_numpy():
            continue
        means = [rest.scores[rest.codes("generator") == g].mean() for g in range(3)]
        assert row["pairs"][0]["difference"] == pytest.approx(means[0] - means[1])
    assert values[generators == 1].max() == 5.0


def test_unreadable_terms_are_read_as_each_severity() -> None:
    made = frame()
    ids = np.arange(1, len(made) + 1)
    annotations = made.annotations.assign(annotation=ids)
    read = replace(made, annotations=annotations, unreadable=((1, 2.0), (999, 1.0)))
    found = rows(robustness(image_table(read), {}), "unreadable")
    base = generator_comparisons(image_table(made))[0]["difference"]["value"]
    # The first annotation is the only one of its image, one of 12 of generator x.
    assert [row["severity"] for row in found] == ["a", "b", "c"]
    assert [row["pairs"][0]["difference"] - base for row in found] == pytest.approx(
        [0.2 * 2 / 12, 0.5 * 2 / 12, 1.0 * 2 / 12]
    )
    assert rows(robustness(image_table(made), {}), "unreadable") == []


def test_what_cannot_be_tested_without_one_says_so() -> None:
    made = framed(
        *(
            rated(k, "ab"[k % 2], {"missing.face": f"{1 + k * 5 % 7}/9c"}, generator="xy"[k % 2], prompt="p")
            for k in range(8)
        )
    )
    found = rows(robustness(image_table(made), {}), "without_annotator")
    assert [row["refused"] for row in found] == ["x and y cannot be tested"] * 2
    json.dumps(robustness(image_table(made), {}), allow_nan=False)
    assert robustness(image_table(framed()), {})["rows"] == []


def test_many_generators_show_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHOWN", 2)
    found = robustness(image_table(frame()), {})
    order = robustness(image_table(frame()), {})["rows"][0]["order"]
    assert {len(row["pairs"]) for row in found["rows"]} == {2}
    assert {frozenset((pair["a"], pair["b"])) for pair in found["rows"][0]["pairs"]} == {
        frozenset(order[:2]),
        frozenset(order[1:]),
    }


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    """R: t.test and p.adjust of log1p(y), of rank(y), and without the prompt of sunbathing."""
    found = comparison(study_frame)["robustness"]
    assert (found["compared"], found["order_holds"], found["verdicts_hold"]) == (23, 23, 20)
    changed = [row for row in found["rows"] if not row["verdicts_hold"]]
    assert [(row["kind"], row.get("prompt")) for row in changed] == [
        ("within_prompts", None),
        ("ranks", None),
        ("without_prompt", "five people sunbathing on beach"),
    ]
    assert [pair["p_holm"] for pair in changed[1]["pairs"]] == pytest.approx(RANKS, rel=1e-6)
    (log,) = rows(found, "log")
    assert [pair["p_holm"] for pair in log["pairs"]] == pytest.approx(LOGS, rel=1e-6)
    assert changed[2]["pairs"][2]["p_holm"] == pytest.approx(WITHOUT_SUNBATHING, rel=1e-6)
