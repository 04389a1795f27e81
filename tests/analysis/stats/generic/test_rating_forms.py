"""The worked numbers of rating forms, from krippendorff 0.9.0, pingouin 0.7.0 and scipy 1.17.1."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.stats.comparison.generic import comparison
from analysis.stats.generic.correlations import agreement_of_items
from analysis.stats.generic.tables import rows_of
from analysis.stats.generic.values import ValuesFrame, build_values
from benchmarks.frames import described
from scoring.rating_form.definition import FormDefinition, Item
from scoring.rating_form.protocol import protocol_of
from tests.analysis.stats.generic.making import row_of

# Images 1 to 8, each with the points of raters a to h; match and style have raters a to c.
QUALITY = ["53445451", "54444442", "33344233", "53444342", "34342243", "54344333", "33212224", "21122114"]
MATCH = ["454", "445", "334", "544", "233", "323", "332", "223"]
STYLE = ["233", "323", "334", "223", "333", "232", "343", "332"]
MISSING = {(0, "c"), (3, "f"), (6, "a")}
RATERS = "abcdefgh"
POINTS = tuple((point, "") for point in range(1, 6))
OPTIONS = tuple((f"o{point}", f"o{point}") for point in range(1, 6))
KINDS = {
    "nominal": Item("nominal", "choice", "N?", options=OPTIONS),
    "ordinal": Item("ordinal", "scale", "O?", points=POINTS),
    "interval": Item("interval", "number", "I?", least="1", most="5"),
}
STORED: dict[str, Callable[[str], Any]] = {"choice": "o{}".format, "number": str, "scale": int}


def framed(
    items: Mapping[Item, list[str]], left_out: Collection[Any] = (), raters: str = RATERS
) -> ValuesFrame:
    """Return raters' answers to items, whose points are given by image: four of generator a, four of b."""
    protocol = protocol_of(FormDefinition("f", "F", next(iter(items)).name, tuple(items)))
    rows = []
    for image, rater in ((image, rater) for image in range(8) for rater in raters):
        place = RATERS.index(rater)
        answers = {
            item.name: STORED[item.kind](points[image][place])
            for item, points in items.items()
            if place < len(points[image]) and (image, rater) not in left_out
        }
        if answers:
            ratings = protocol.ratings(protocol.clean({"answers": answers}), {})
            rows.append(row_of(image, rater, [list(map(str, rating)) for rating in ratings], "aaaabbbb"))
    return build_values(rows, protocol)


@pytest.mark.parametrize(
    ("left_out", "raters", "expected"),
    [
        ((), RATERS, {"N?": 0.100588, "O?": 0.304628, "I?": 0.325563}),
        (MISSING, RATERS, {"N?": 0.118128, "O?": 0.304453, "I?": 0.325640}),
        ((), RATERS[:-1], {"O?": 0.600092, "I?": 0.636153}),
    ],
)
def test_alpha_by_level_of_measurement(left_out: Any, raters: str, expected: dict[str, float]) -> None:
    frame = framed(dict.fromkeys(KINDS.values(), QUALITY), left_out, raters)
    rows = rows_of(agreement_of_items(frame), "agreement")
    found = {row["variable"]: row["pooled"]["value"] for row in rows}
    assert {title: found[title] for title in expected} == pytest.approx(expected, abs=1e-6)
    # A scale has both.
    assert found["O?: alpha at equal steps"] == pytest.approx(expected["I?"], abs=1e-6)


@pytest.mark.parametrize(
    ("raters", "singles", "means"),
    [
        (RATERS, [0.351937, 0.355198, 0.370096], [0.812891, 0.815051, 0.824572]),
        (RATERS[:-1], [0.662447, 0.665871, 0.716763], []),
    ],
)
def test_intraclass_correlations(raters: str, singles: list[float], means: list[float]) -> None:
    """From pingouin 0.7.0."""
    (row,) = rows_of(agreement_of_items(framed({KINDS["interval"]: QUALITY}, raters=raters)), "correlations")
    assert row["k"] == len(raters)
    assert [row[f"icc_{form}_1"]["value"] for form in "1AC"] == pytest.approx(singles, abs=1e-6)
    if means:
        assert [row[f"icc_{form}_k"]["value"] for form in "1AC"] == pytest.approx(means, abs=1e-6)
    for form in "AC":
        one, mean = row[f"icc_{form}_1"], row[f"icc_{form}_k"]
        assert one["low"] < one["value"] < one["high"]
        assert mean["low"] < mean["value"] < mean["high"]


def test_items_by_generator() -> None:
    items = [Item(name, "scale", name, points=POINTS) for name in ("quality", "match", "style")]
    result = comparison(framed(dict(zip(items, (QUALITY, MATCH, STYLE), strict=True))))
    quality, match, style = rows_of(result, "item_differences")

    def interval(row: dict[str, Any]) -> list[float]:
        return [row["difference"][end] for end in ("value", "low", "high")]

    assert interval(quality) == pytest.approx([0.906250, -0.332181, 2.144681], abs=1e-6)
    assert interval(match) == pytest.approx([1.5, 0.740608, 2.259392], abs=1e-6)
    assert (match["t"], match["df"]) == pytest.approx((5.692100, 3.658537), abs=1e-6)
    assert style["difference"]["value"] == pytest.approx(-0.083333, abs=1e-6)
    p, corrected = ([row[key] for row in (quality, match, style)] for key in ("p", "p_holm"))
    assert p == pytest.approx([0.112509, 0.006138, 0.790825], abs=1e-6)
    assert corrected == pytest.approx([0.225018, 0.018415, 0.790825], abs=1e-6)
    # The means of images are those of who answered: raters a to c.
    means = {row["item"]: row["generator a"]["value"] for row in rows_of(result, "items")}
    assert means["match"] == pytest.approx((13 + 13 + 10 + 13) / 12)


@pytest.mark.thorough
def test_a_large_form_is_computed_within_a_minute() -> None:
    """10,000 images, five of twenty raters each, twelve items."""
    kinds = {"s": KINDS["ordinal"], "n": replace(KINDS["interval"], least="0", most="100")}
    titles = [f"{name}{place}" for name in kinds for place in range(6)]
    items = tuple(replace(kinds[title[0]], name=title, title=title) for title in titles)
    image, place = (codes.ravel() for codes in np.indices((10_000, 5)))
    people = {"image": image, "annotator": (image + place) % 20}
    table = described(pd.DataFrame({**people, "generator": image % 4, "prompt": image // 4 % 250}))
    chance, shape = np.random.default_rng(1), (len(image), 1)
    values = {item.name: chance.integers(1, 6 if item.points else 101, shape).astype(float) for item in items}
    frame = ValuesFrame(table, protocol_of(FormDefinition("f", "F", "s0", items)), values)
    begun = time.process_time()
    assert rows_of(agreement_of_items(frame), "agreement")[0]["pooled"]["n_units"] == 10_000
    assert len(rows_of(comparison(frame), "items")) == 12
    assert time.process_time() - begun < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1.5 * 2**20
