"""Body maps: amounts by part and cell, shades, and what the map says."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatedAnnotation
from analysis.tables.comparison.body_map import AMOUNTS, body_maps, thresholds
from analysis.tables.comparison.body_words import certainty, heading
from tests.analysis.stats.conftest import framed, rated


def several(generator: str, cell: str, start: int, count: int = 6) -> list[RatedAnnotation]:
    """Images whose one mark lies in this cell, of different size."""
    return [
        rated(start + image, "ada", {cell: f"{1 + image % 3}/4c"}, generator=generator)
        for image in range(count)
    ]


def test_the_published_map(study_comparison: dict[str, Any]) -> None:
    """The numbers of the page's design; parts add up to the published means."""
    found = study_comparison
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
    (found,) = body_maps(comparison(framed(*rows)))
    assert (found.parts["hands"].marked, found.parts["hands"].enough) == (5, True)
    assert (found.parts["face"].marked, found.parts["face"].enough) == (4, False)
    assert not found.cells["extra.face"].enough


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
