"""Overlap of regions: the worked numbers, and arrays against the exact rules."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.protocols.defect.agreement import marks_agreement, mean_of
from analysis.protocols.defect.frames import DefectFrame
from analysis.protocols.defect.regions import area_of, region_of, runs_of, shared_area
from analysis.stats.building import RatedAnnotation
from analysis.stats.generic.values import build_values
from scoring.defect.marks import MARKS, clean, ratings
from scoring.defect.masks import Mask, intersection, rectangle, text_of, union
from tests.analysis.stats.generic.making import rows_of
from tests.scoring.defect.test_masks import VECTORS, Bits, masked, pairs

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
        known = {
            "image": image,
            "annotator": person,
            "generator": "alpha",
            "prompt": "hugging",
            "prompt_group": "",
            "batch": "b",
            "ratings": rated,
            "number": image,
            "annotation": number,
            "marks": (),
        }
        rows.append(RatedAnnotation._make(known[name] for name in RatedAnnotation._fields))
        regions[number] = region_of(payload)
    made = build_values(rows, MARKS)
    return DefectFrame(**{each.name: getattr(made, each.name) for each in fields(made)}, regions=regions)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_texts_are_read_as_the_rules_read_them(vector: dict[str, Any]) -> None:
    runs = runs_of(vector["text"])
    assert text_of(runs.tolist()) == vector["text"]
    assert runs[1::2].sum() == vector["area"]


@given(pairs)
def test_regions_are_the_unions_of_the_rules(both: tuple[Bits, Bits]) -> None:
    one, other = (masked(bits) for bits in both)
    payload = {"defects": [{"mask": one.as_json()}, {"mask": None}, {"mask": other.as_json()}]}
    assert region_of(payload).tolist() == [list(each) for each in union([one, other]).intervals]
    regions = [region_of({"defects": [{"mask": mask.as_json()}]}) for mask in (one, other)]
    assert [area_of(region) for region in regions] == [one.area, other.area]
    assert shared_area(*regions) == intersection(one, other).area


def test_the_worked_means() -> None:
    iou, dice = mean_of(WORKED), mean_of(2 * WORKED / (1 + WORKED))
    assert [round(iou[name] or 0, 3) for name in ("value", "low", "high")] == [0.618, 0.350, 0.886]
    assert round(dice["value"] or 0, 3) == 0.709
    low, high = stats.t.interval(0.95, 7, WORKED.mean(), stats.sem(WORKED))
    assert [iou["low"], iou["high"]] == pytest.approx([low, high])
    assert mean_of(WORKED[:5])["refused"] == "too few: 5 images"


@given(st.lists(st.floats(0, 1), min_size=8, max_size=30))
def test_an_interval_stays_within_the_possible(values: list[float]) -> None:
    found = mean_of(np.array(values))
    for name in ("low", "high"):
        end = found[name]
        assert end is None or -1e-12 <= end <= 1 + 1e-12


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
    assert rows[1]["iou"]["refused"] == "too few: 1 image"
