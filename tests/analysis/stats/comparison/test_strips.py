"""Images at equal steps of rank, and generators by annotation."""

from __future__ import annotations

import pytest
from scipy import stats

from analysis.stats.comparison.by_annotation import by_annotation
from analysis.stats.comparison.strips import strips
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import image_table
from tests.analysis.stats.conftest import framed, rated


def eleven() -> RatingsFrame:
    """Scores 0.1, 0.2, … 1.1 of images 1 to 11 in mixed order, the first judged twice."""
    rows = [rated(k, "ada", {"missing.face": f"{k}/10c"}) for k in range(1, 11)]
    rows += [rated(11, "ada", {"missing.face": "10/10c", "extra.face": "1/10c"})]
    rows += [rated(1, "ben", {"missing.face": "3/10c"})]
    return framed(*rows[::-1])


def test_equal_steps_of_rank() -> None:
    (strip,) = strips(image_table(eleven()))["image"]
    # The first image's mean is 0.2, like that of the second.
    assert [(step["image"], round(step["score"], 6)) for step in strip["images"]] == [
        (1, 0.2),
        (3, 0.3),
        (5, 0.5),
        (7, 0.7),
        (9, 0.9),
        (11, 1.1),
    ]
    assert [step["next"]["image"] for step in strip["images"]] == [2, 4, 6, 8, 10, 10]


def test_an_image_stands_once_in_a_strip_of_annotations() -> None:
    (strip,) = strips(image_table(eleven()))["annotations"]
    images = [step["image"] for step in strip["images"]]
    assert len(set(images)) == len(images) == 6
    assert images[0] == 1


def test_fewer_images_than_steps() -> None:
    (strip,) = strips(image_table(framed(rated(1, "ada", {}))))["image"]
    assert strip["images"] == [{"image": 1, "score": 0.0, "next": None}]


def test_by_annotation_is_welch_over_annotations() -> None:
    """Against scipy's Welch test, with its interval."""
    rows = [
        rated(k, "ada", {"missing.face": f"{1 + k * (1 + k % 2) % 9}/10c"}, generator="xy"[k % 2])
        for k in range(1, 21)
    ]
    frame = framed(*rows)
    found = by_annotation(frame)
    x, y = (frame.parts("generator", frame.scores)[name] for name in "xy")
    test = stats.ttest_ind(x, y, equal_var=False)
    (pair,) = found["pairs"]
    assert (pair["t"], pair["p"]) == pytest.approx((test.statistic, test.pvalue))
    interval = test.confidence_interval()
    assert (pair["difference"]["low"], pair["difference"]["high"]) == pytest.approx(
        (interval.low, interval.high)
    )
    assert [row["mean"]["value"] for row in found["means"]] == pytest.approx([x.mean(), y.mean()])
