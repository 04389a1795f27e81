"""Scores of descriptions by model, judges beside raters, and what models detect: the worked numbers."""

from __future__ import annotations

from typing import Any

import krippendorff
import pytest

from analysis.protocols.defect import agreement, stages
from analysis.protocols.defect.frames import Decided, DefectFrame, Said
from analysis.protocols.defect.rated import by_judge, by_model, detected
from analysis.stats.generic.outside import OutsideMetric
from analysis.stats.generic.tables import Json, rows_of

WORKED = ("2 1 0 2 1 –", "2 2 0 1 1 0", "2 1 1 2 0 0")
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
    assert row["mean"]["value"] == pytest.approx(
        sum(int(one) for line in raters for one in line.split()) / 24
    )
    assert row["share_2"] == 9 / 24
    data = [[int(score) for score in line.split()] for line in raters]
    alpha = krippendorff.alpha(reliability_data=data, level_of_measurement="ordinal")
    assert row["alpha"]["value"] == pytest.approx(alpha)


def test_the_worked_raters_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three raters of six images, of which one left out an image: a report refuses so few."""
    assert only_row(by_model(frame(WORKED)))["alpha"]["refused"] == "too few: 6 images"
    monkeypatch.setattr(stages, "FEWEST", 6)
    assert round(only_row(by_model(frame(WORKED)))["alpha"]["value"], 6) == 0.656458


def test_the_worked_judge_stands_beside_the_raters_median(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = [
        OutsideMetric("org/judge/m/completeness", dict(enumerate(map(float, JUDGE)))),
        OutsideMetric("beauty", {0: 1.0}),
    ]
    monkeypatch.setattr(agreement, "FEWEST", 6)
    row = only_row(by_judge(frame(WORKED), metrics))
    assert (row["judge"], row["model"], row["criterion"], row["images"]) == (
        "org/judge",
        "m",
        "Completeness",
        6,
    )
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
    shares = [
        [round(row[name][part], 3) for part in ("value", "low", "high")] for name in ("precision", "recall")
    ]
    assert shares == [[0.8, 0.663, 0.9], [0.889, 0.759, 0.963]]
    assert round(row["f1"], 3) == 0.842


def test_a_model_that_never_calls_an_image_defective_has_no_precision() -> None:
    row = only_row(detected(frame(decided={1: Decided(0.0, "unanimity")}, called={"m": {1: False}})))
    assert (row["right"], row["precision"]["value"], row["recall"]["value"], row["f1"]) == (
        1,
        None,
        None,
        None,
    )
