"""Slices of a comparison by image attribute and tag, beside scipy."""

from __future__ import annotations

import pytest
from scipy import stats

from analysis.stats.comparison.generic import comparison
from analysis.stats.estimates import TOO_WIDE
from tests.analysis.stats.generic.making import rows_of, stars

# Images of a are even, of b odd; image 0 was judged twice and counts as 3.
ANSWERS = [
    (0, "A", 4), (0, "B", 2), (2, "A", 1), (4, "A", 2), (6, "B", 3),
    (1, "A", 5), (3, "B", 4), (5, "A", 4), (7, "B", 5),
]  # fmt: skip


def test_attributes_divide_the_images_that_have_them() -> None:
    attributes = {
        "sampler": {0: "x", 2: "x", 4: "y", 1: "y", 3: "y", 99: "z"},
        "lens": {},
        "camera": dict.fromkeys(range(7), "phone"),
    }
    result = comparison(stars(ANSWERS), attributes=attributes)
    x, y = rows_of(result, "slices")
    names = ("attribute_value", "generators", "annotations", "images")
    assert [tuple(row[name] for name in names) for row in (x, y)] == [("x", 1, 3, 2), ("y", 2, 3, 3)]
    # Images 0 and 2 have 3 and 1; 4, 1 and 3 have 2, 5 and 4.
    assert [row["mean"]["value"] for row in (x, y)] == [2.0, pytest.approx(11 / 3)]
    assert [row["mean"]["n_coders"] for row in (x, y)] == [2, 2]
    low, high = stats.t.interval(0.95, 2, 11 / 3, stats.sem([2, 5, 4]))
    assert low < 1 < 5 < high
    assert [y["mean"][key] for key in ("low", "high", "refused")] == [None, None, TOO_WIDE]
    (words,) = (table["words"] for table in result["tables"] if table["name"] == "slices")
    assert words.endswith("camera has one value and is left out. sampler: 3 images have no value.")
