"""Overlap of regions, judges beside raters, and what models detect: worked numbers and exact rules."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.protocols.defect import agreement, stages
from analysis.protocols.defect.agreement import marks_agreement, mean_of
from analysis.protocols.defect.frames import DefectFrame, Said
from analysis.protocols.defect.rated import by_judge, by_model, detected
from analysis.stats import bootstrap_intervals
from analysis.stats.generic import alphas
from analysis.stats.generic.outside import OutsideMetric
from analysis.stats.generic.tables import Json, rows_of
from analysis.stats.generic.values import build_values
from annotator.protocols.defect.decisions import Decided
from scoring.defect.marks import MARKS, clean, ratings
from scoring.defect.masks import NOTHING, Mask, rectangle, union
from tests.analysis.stats.generic.making import row_of

ENDS: Final = ("value", "low", "high")
WORKED = np.array([4 / 11, 0, 1, 0.8, 0.62, 0.55, 0.71, 0.9])


def marks(*masks: Mask) -> dict[str, Any]:
    """Return a complete payload with these masks."""
    defects = [
        {"id": f"d{at}", "mask": mask.as_json(), "kind": "structural", "text": "It is wrong here."}
        for at, mask in enumerate(masks, 1)
    ]
    size = list(masks[0].size) if masks else [20, 20]
    return clean({"size": size, "defects": defects, "effect": 1, "no_defect": not masks}).payload()


def frame_of(said: dict[tuple[int, str], dict[str, Any]]) -> DefectFrame:
    """Return annotations by image and annotator as a frame."""
    rows, regions = [], {}
    for number, ((image, person), payload) in enumerate(said.items(), 1):
        rated = [[name, component, str(value)] for name, component, value in ratings(clean(payload), {})]
        rows.append(row_of(image, person, rated, "a")._replace(annotation=number))
        regions[number] = union([mask for _, mask in clean(payload).masked] or [NOTHING])
    made = build_values(rows, MARKS)
    return DefectFrame(**{each.name: getattr(made, each.name) for each in fields(made)}, regions=regions)


def test_the_worked_means() -> None:
    iou, dice = mean_of(WORKED), mean_of(2 * WORKED / (1 + WORKED))
    assert [round(iou[name] or 0, 3) for name in ("value", "low", "high")] == [0.618, 0.350, 0.886]
    assert round(dice["value"] or 0, 3) == 0.709
    low, high = stats.t.interval(0.95, 7, WORKED.mean(), stats.sem(WORKED))
    assert [iou["low"], iou["high"]] == pytest.approx([low, high])
    assert mean_of(WORKED[:5])["refused"] == "too few: 5 of 8 images"


@given(st.lists(st.floats(0, 1), min_size=8, max_size=30))
def test_an_interval_stays_within_the_possible(values: list[float]) -> None:
    found = mean_of(np.array(values))
    for name in ("low", "high"):
        end = found[name]
        assert end is None or -1e-12 <= end <= 1 + 1e-12


@pytest.mark.parametrize(
    ("found", "share", "missed"), [(0, [0, 0, 0.168], [0, 0, 31]), (1, [0.05, 0.001, 0.249], [9, 0, 45])]
)
def test_the_worked_control_says_what_the_verdicts_missed(
    found: int, share: list[float], missed: list[float]
) -> None:
    """Of 180 accepted images, 20 were marked all the same."""
    made = frame(decided={image: Decided(float(image >= 180), "unanimity") for image in range(200)})
    object.__setattr__(made, "control", {image: image < found for image in range(20)})
    row = only_row(stages.control(made))
    assert [row[name] for name in ("accepted", "marked", "found")] == [180, 20, found]
    assert [round(row["rate"][part], 3) for part in ENDS] == share
    assert [row["missed"][part] for part in ENDS] == missed


@pytest.mark.parametrize(
    ("found", "of", "expected"),
    [(4, 7, [0.571, 0.184, 0.901]), (3, 6, [0.5, 0.118, 0.882]), (12, 16, [0.75, 0.476, 0.927])],
    ids=["unanimous", "rejected", "kept"],
)
def test_the_worked_shares(found: int, of: int, expected: list[float]) -> None:
    share = stages.share_of(found, of)
    assert [round(share[part] or 0, 3) for part in ENDS] == expected


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ("RRR AAA ARR RRR AAR AAA RRU RR", 0.641026),
        ("RRR AAA ARR RRR AAR AAA RRU", 0.616162),
        ("RRR RRA AAR", 0.111111),
        ("RRR RRA RRR AAR", 0.185185),
    ],
    ids=["verdicts", "finished verdicts", "votes on three masks", "votes on four items"],
)
def test_the_worked_alphas(answers: str, expected: float) -> None:
    """Each image's or item's answers, of which a report refuses so few; who cannot judge gives none."""
    given = [
        Said(image, f"r{rater}", "", "", "", int(answer == "R"))
        for image, own in enumerate(answers.split())
        for rater, answer in enumerate(own)
        if answer != "U"
    ]
    with pytest.MonkeyPatch.context() as patched:
        for module in (stages, alphas, bootstrap_intervals):
            patched.setattr(module, "FEWEST", 1)
        assert round(stages.alpha_among(given, stages.CAST)["value"], 6) == expected


def test_pairs_of_annotators() -> None:
    square, moved = rectangle(20, 20, (0, 0, 10, 10)), rectangle(20, 20, (5, 0, 10, 10))
    far = rectangle(20, 20, (15, 15, 5, 5))
    said = {}
    for image in range(8):
        said[image, "ann"] = marks(square)
        # Two masks that overlap are one region.
        said[image, "bob"] = marks(moved, rectangle(20, 20, (10, 0, 5, 10)))
    said |= {(8, "ann"): marks(), (8, "bob"): marks(far), (9, "ann"): marks(), (9, "bob"): marks()}
    said |= {(0, "cyd"): marks(square)}
    rows = rows_of(marks_agreement(frame_of(said)), "overlaps")
    assert [row["annotators"] for row in rows] == [["ann", "bob"], ["ann", "cyd"], ["bob", "cyd"]]
    assert [rows[0][name] for name in ("marked", "alone", "neither")] == [9, 1, 1]
    assert rows[0]["iou"]["value"] == pytest.approx((8 * 50 / 150) / 9)
    assert rows[0]["dice"]["value"] == pytest.approx((8 * 100 / 200) / 9)
    assert rows[1]["iou"]["refused"] == "too few: 1 of 8 images"


RATERS = ("2 1 0 2 1 –", "2 2 0 1 1 0", "2 1 1 2 0 0")
JUDGE = (2, 1, 0, 2, 2, 0)


def frame(
    raters: tuple[str, ...] = (),
    decided: dict[int, Decided] | None = None,
    called: dict[str, dict[int, bool]] | None = None,
) -> DefectFrame:
    """A frame of one model's completeness, without what only the generic tables read."""
    made = DefectFrame.__new__(DefectFrame)
    said = [
        Said(image, f"r{rater}", "m", "m", "completeness", int(score))
        for rater, line in enumerate(raters)
        for image, score in enumerate(line.split())
        if score != "–"
    ]
    object.__setattr__(made, "said", said)
    object.__setattr__(made, "decided", decided or {})
    object.__setattr__(made, "called", called or {})
    return made


def only_row(made: Json) -> dict[str, Any]:
    (row,) = rows_of({"tables": [made]}, made["name"])
    return dict(row)


def test_scores_of_a_model_are_means_over_images_of_the_raters_means() -> None:
    raters = ("2 1 0 2 1 2 0 1", "2 2 0 1 1 2 0 1", "2 1 1 2 0 2 1 1")
    row = only_row(by_model(frame(raters)))
    assert row["images"] == 8
    data = [[int(score) for score in line.split()] for line in raters]
    assert row["mean"]["value"] == pytest.approx(sum(map(sum, data)) / 24)
    assert row["share_2"] == 9 / 24
    alpha = krippendorff.alpha(reliability_data=data, level_of_measurement="ordinal")
    assert row["alpha"]["value"] == pytest.approx(alpha)


def test_the_worked_raters_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three raters of six images, of which one left out an image: a report refuses so few."""
    assert only_row(by_model(frame(RATERS)))["alpha"]["refused"] == "too few: 6 of 8 images"
    monkeypatch.setattr(stages, "FEWEST", 6)
    assert round(only_row(by_model(frame(RATERS)))["alpha"]["value"], 6) == 0.656458


def test_the_worked_judge_stands_beside_the_raters_median(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = [
        OutsideMetric("org/judge/m/completeness", dict(enumerate(map(float, JUDGE)))),
        OutsideMetric("beauty", {0: 1.0}),
    ]
    monkeypatch.setattr(agreement, "FEWEST", 6)
    row = only_row(by_judge(frame(RATERS), metrics))
    about = [row[name] for name in ("judge", "model", "criterion", "images")]
    assert about == ["org/judge", "m", "Completeness", 6]
    assert row["exact"]["value"] == 5 / 6
    assert round(row["difference"]["value"], 6) == 0.166667


def test_the_worked_model_detects() -> None:
    """40 rightly called defective, 10 wrongly, 5 missed, 45 right; open and unknown images do not count."""
    called = {"m": dict(enumerate([True] * 50 + [False] * 50 + [True, True]))}
    truth = [1.0] * 40 + [0.0] * 10 + [1.0] * 5 + [0.0] * 45
    decided = {image: Decided(value, "unanimity") for image, value in enumerate(truth)}
    decided[100] = Decided(None, "")
    row = only_row(detected(frame(decided=decided, called=called)))
    assert [row[name] for name in ("model", "hits", "alarms", "missed", "right")] == ["m", 40, 10, 5, 45]
    for name, expected in (("precision", [0.8, 0.663, 0.9]), ("recall", [0.889, 0.759, 0.963])):
        assert [round(row[name][part], 3) for part in ("value", "low", "high")] == expected
    assert round(row["f1"], 3) == 0.842


def test_a_model_that_never_calls_an_image_defective_has_no_precision() -> None:
    row = only_row(detected(frame(decided={1: Decided(0.0, "unanimity")}, called={"m": {1: False}})))
    assert [row["right"], row["precision"]["value"], row["recall"]["value"], row["f1"]] == [1, *[None] * 3]
