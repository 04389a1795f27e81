"""Body maps: amounts by part and cell, shades, and what the map says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from analysis.tables.comparison.body_map import (
    AMOUNTS,
    BodyMap,
    body_maps,
    enough_pins,
    shade,
    thresholds,
)
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


@pytest.mark.thorough
def test_the_heading_changes_with_the_data() -> None:
    def said(*rows: RatedAnnotation) -> str:
        return heading(body_maps(result(*rows)), "abc")

    hands, faces = several("x", "missing.hands", 1), several("y", "extra.face", 20)
    assert said(*hands) == "Hands go wrong most"
    assert said(*hands, *several("y", "extra.hands", 20)) == "Hands go wrong most, whichever the generator"
    assert said(*hands, *faces) == "Hands go wrong most with x, faces with y"
    assert said(rated(1, "ada", {})) == "No errors were marked"
    assert said(*several("x", "missing.hands", 1, 2)) == "Too few errors to say where bodies go wrong"
    many = [row for place, name in enumerate("abcdefg") for row in several(name, "extra.feet", 9 * place)]
    assert said(*many) == "Feet go wrong most, whichever the generator"
    assert said(*many, *several("h", "extra.face", 90)) == "Feet go wrong most with 7 of 8 generators"


@pytest.mark.thorough
def test_certainty_is_that_of_the_tests() -> None:
    clear = [
        rated(image, "ada", {"missing.hands": f"{2 + image % 3}/4c", "extra.face": "1/9a"}, generator="x")
        for image in range(12)
    ]
    how = "paired t test over images against every other body part"
    assert certainty(body_maps(result(*clear))) == f"This is clear ({how}, p < 0.05)."
    tied = [
        rated(30 + image, "ada", {("missing.hands", "extra.face")[image % 2]: f"{1 + image % 3}/4c"})
        for image in range(11)
    ]
    said = certainty(body_maps(result(*tied)))
    assert said == f"Another body part may go wrong as much as the one with the largest mean ({how})."
    assert heading(body_maps(result(*tied)), "abc") == "No body part clearly goes wrong more than the others"
    assert certainty(body_maps(result(rated(1, "ada", {"missing.hands": "1/2c"})))) == ""


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


def of_parts(largest: float) -> list[BodyMap]:
    rows = [rated(1, "ada", {"missing.hands": "1/1c"})]
    (found,) = body_maps(result(*rows))
    amount = found.parts["hands"]
    parts = {**found.parts, "hands": type(amount)(largest, 1, 9)}
    return [type(found)(**{**vars(found), "parts": parts})]


@pytest.mark.parametrize(
    ("largest", "darkest"), [(0.73, 0.5), (0.5, 0.5), (0.49, 0.25), (0.06, 0.05), (0.001, 0.05), (7, 5)]
)
def test_the_largest_part_reaches_the_darkest_shade(largest: float, darkest: float) -> None:
    assert thresholds(of_parts(largest))[-1] == pytest.approx(darkest)


def test_shades_and_legend() -> None:
    assert [shade(value, AMOUNTS) for value in (0, 0.0199, 0.02, 0.1, 0.26, 0.5, 9)] == [0, 0, 1, 2, 3, 4, 4]
    assert legend(AMOUNTS) == [
        "under 0.02",
        "0.02 to 0.10",
        "0.10 to 0.25",
        "0.25 to 0.50",
        "0.50 or more",
    ]
    assert legend((0.05, 0.1), shares=True) == ["under 5%", "5% to 10%", "10% or more"]
    assert legend((0.002, 0.01))[0] == "under 0.002"
    assert listed(["a", "b", "c"]) == "a, b and c"
