"""The same images under two protocols: correlation, fifths and contradictions."""

from __future__ import annotations

from typing import Any

import pytest
from scipy import stats

from analysis.stats.generic.across import across
from tests.analysis.protocols.realism.making import rated
from tests.analysis.stats.generic.making import anatomy, presence, rows_of

CELLS = ("extra.limbs", "missing.limbs", "extra.hands", "missing.hands", "extra.feet")
# Image i has i % 5 marks in one protocol; in the other the same cells, but image 3 all and image 4 none.
MARKED = {image: CELLS[: image % 5] for image in range(1, 31)}
SEEN = {**MARKED, 3: (), 4: CELLS, 5: CELLS, 9: ()}


def found() -> dict[str, Any]:
    one = anatomy((image, "A", " ".join(f"{cell}:1/4c" for cell in cells)) for image, cells in MARKED.items())
    two = presence((image, "B", " ".join(cells)) for image, cells in SEEN.items())
    return across(one, [two])


def test_the_correlation_is_that_of_scipy() -> None:
    (row,) = rows_of(found(), "across")
    expected = stats.spearmanr([len(cells) for cells in MARKED.values()], [len(c) for c in SEEN.values()])
    assert row["rho"]["value"] == pytest.approx(expected.statistic, abs=1e-12)
    assert row["images"] == 30
    assert row["other"].startswith("Presence of errors in 25 cells: ")


def test_images_far_apart_are_listed_furthest_first() -> None:
    rows = rows_of(found(), "contradictions")
    assert {row["number"] for row in rows} == {3, 5, 9}
    apart = [row["apart"] for row in rows]
    assert apart == sorted(apart, reverse=True)
    assert min(apart) >= 0.4
    (row,) = (row for row in rows if row["number"] == 5)
    assert (row["first"], row["second"]) == (0, 5)
    assert rows_of(found(), "across")[0]["apart"] == 3


def test_much_realism_contradicts_a_high_score_and_little_realism_a_low_one() -> None:
    one = anatomy((image, "A", "" if image % 2 else "extra.limbs:1/4c") for image in range(1, 21))
    two = rated({"B": " ".join("1" if image == 7 or image % 2 == 0 else "10" for image in range(1, 21))})
    result = across(one, [two])
    assert rows_of(result, "across")[0]["rho"]["high"] < 0
    assert [row["number"] for row in rows_of(result, "contradictions")] == [7]


def test_only_shared_images_count_and_several_annotations_are_averaged() -> None:
    one = anatomy([(image, "A", "extra.limbs:1/4c") for image in range(8)] + [(7, "B", "extra.limbs:3/4c")])
    two = presence((image, "C", "extra.limbs" if image > 4 else "") for image in range(4, 14))
    result = across(one, [two])
    (row,) = rows_of(result, "across")
    assert (row["images"], row["rho"]["refused"]) == (4, "too few: 4 images")
    assert rows_of(result, "contradictions") == []
    assert [(row["images"], row["first"]) for row in rows_of(result, "fifths")] == [(3, 0.25), (1, 0.5)]
