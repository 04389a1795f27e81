"""Body maps: amounts by part and cell, shades, and what the map says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from analysis.tables.comparison.body_map import AMOUNTS, body_maps, enough_pins, shade, thresholds
from analysis.tables.comparison.body_words import certainty, heading, legend
from analysis.tables.wording import listed
from tests.analysis.stats.conftest import framed, rated


def result(*rows: RatedAnnotation) -> Mapping[str, Any]:
    return comparison(framed(*rows))


def several(generator: str, cell: str, start: int, count: int = 6) -> list[RatedAnnotation]:
    """Images whose one mark lies in this cell, of different size."""
    return [
        rated(start + image, "ada", {cell: f"{1 + image % 3}/4c"}, generator=generator)
        for image in range(count)
    ]


def test_the_published_map(study_frame: RatingsFrame) -> None:
    """The numbers of the page's design; parts add up to the published means."""
    found = comparison(study_frame)
    maps = body_maps(found)
    assert [(each.generator, round(each.total.value, 2)) for each in maps] == [
        ("dall-e3", 0.82),
        ("stablecascade", 1.8),
        ("sdxl", 2.07),
    ]
    dalle = {part: (round(a.value, 2), round(100 * a.share)) for part, a in maps[0].parts.items()}
    assert dalle == {
        "torso": (0.09, 11),
        "limbs": (0.15, 18),
        "feet": (0.12, 14),
        "hands": (0.27, 33),
        "face": (0.19, 23),
    }
    types = [round(amount.value, 2) for amount in maps[1].types.values()]
    assert types == [0.42, 0.04, 1.01, 0.09, 0.23]
    assert thresholds(maps) == AMOUNTS
    assert heading(maps, "abc") == "Hands go wrong most with stablecascade and sdxl"
    assert certainty(maps) == (
        "This is clear for stablecascade and sdxl (paired t test over images against every other body part, "
        "p < 0.05). With dall-e3, another body part may go wrong as much."
    )
    severe = body_maps(found, "c")
    assert heading(severe, "c") == "Hands have the most severe errors with stablecascade and sdxl"
    assert sum(amount.value for amount in severe[0].cells.values()) == pytest.approx(severe[0].total.value)
    assert severe[0].total.value < maps[0].total.value


def test_what_few_annotations_mark_has_no_shade() -> None:
    rows = [*several("x", "missing.hands", 1, 5), *several("x", "extra.face", 10, 4)]
    (found,) = body_maps(result(*rows))
    assert (found.parts["hands"].marked, found.parts["hands"].enough) == (5, True)
    assert (found.parts["face"].marked, found.parts["face"].enough) == (4, False)
    assert not found.cells["extra.face"].enough


def test_pins() -> None:
    mark = {"type": "extra", "part": "feet", "severity": "c", "affected": 9, "total": 9}
    score = [("cumulative_score", "", "1")]
    rows = [
        RatedAnnotation(image, "ada", "x", "p", "pair", "b", score)._replace(
            marks=[{**mark, "pins": [{"x": 0.5, "y": 0.5}] * 9}]
        )
        for image in range(4)
    ]
    maps = body_maps(result(*rows), "pins")
    assert (maps[0].pins, maps[0].total.value, maps[0].parts["feet"].pins) == (36, 36, (0, 0, 36))
    assert heading(maps, "pins") == "Feet have the most pins"
    assert certainty(maps) == ""
    assert enough_pins(maps)
    assert not enough_pins(body_maps(result(*rows[:3])))
    assert heading(body_maps(result(rated(1, "a", {})), "pins"), "pins") == "No pins were set"


def test_a_result_without_shares_of_cells_has_no_map() -> None:
    assert body_maps({"tables": []}) == []


def test_shares_of_cells_of_other_protocols() -> None:
    """Presence lists the share of images with an error in each cell."""
    from scoring.grid.taxonomy import CELLS

    rows: list[Any] = [
        ["Error present", cell.key, 0.5 if cell.body_part == "hands" else 0.1] for cell in CELLS
    ]
    columns = [{"title": title} for title in ("Measure", "Component", "x")]
    tables: list[dict[str, Any]] = [
        {"name": "components", "columns": columns, "rows": rows},
        {"name": "generators", "columns": [], "rows": [["x", 30, 20, {}, 0.1]]},
    ]
    (found,) = body_maps({"tables": tables})
    assert found.total.value == pytest.approx(4.5)
    assert found.parts["hands"].value == pytest.approx(2.5)
    assert (found.cells["extra.hands"].marked, found.cells["extra.face"].marked) == (10, 2)
    assert body_maps({"tables": tables}, "c") == []
    assert body_maps({"tables": [tables[1], {**tables[0], "rows": rows[1:]}]}) == []


def test_shades_and_legend() -> None:
    assert [shade(value, AMOUNTS) for value in (0, 0.0199, 0.02, 0.1, 0.26, 0.5, 9)] == [0, 0, 1, 2, 3, 4, 4]
    assert legend(AMOUNTS) == ["under 0.02", "0.02 to 0.10", "0.10 to 0.25", "0.25 to 0.50", "0.50 or more"]
    assert legend((0.05, 0.1), shares=True) == ["under 5%", "5% to 10%", "10% or more"]
    assert legend((0.002, 0.01))[0] == "under 0.002"
    assert listed(["a", "b", "c"]) == "a, b and c"
