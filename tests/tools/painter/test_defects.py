"""Every drawable error is visible, sits in a cell of the grid, and its pin points into the picture."""

from __future__ import annotations

from collections import Counter

import pytest
from PIL import ImageChops

from scoring.grid.taxonomy import CELL_BY_KEY, SEVERITIES
from tools.painter.defects import DEFECTS, Defect, spot_of
from tools.painter.planting import changed
from tools.painter.scenes import GENERATORS, PROMPTS, Scene, build_scene, draw_scene

UNDRAWN = {"extra.torso", "orientation.torso"}
SMALLEST = 50  # pixels that must differ visibly: a nose


def scene_for(defect: Defect) -> tuple[Scene, int]:
    """Return a scene whose first person can show the defect, and on which arm or leg."""
    for prompt in (PROMPTS[2],) if defect.place == "clasp" else PROMPTS:
        for number in range(1, 12):
            scene = build_scene(GENERATORS[0], prompt, number, seed=7)
            for index in (1, 0):
                if defect.fits(scene.figures[0], index):
                    return scene, index
    raise AssertionError(f"nobody can show: {defect.name}")


def test_names_and_cells() -> None:
    assert len({defect.name for defect in DEFECTS}) == len(DEFECTS)
    assert {defect.cell for defect in DEFECTS} == set(CELL_BY_KEY) - UNDRAWN
    assert {defect.severity for defect in DEFECTS} == set(SEVERITIES)
    assert min(Counter(defect.severity for defect in DEFECTS).values()) >= 10


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
@pytest.mark.few(4)
def test_an_error_is_seen_and_nothing_else_changes(defect: Defect) -> None:
    scene, index = scene_for(defect)
    with_error = changed(scene, defect, 0, index)
    difference = ImageChops.difference(draw_scene(scene), draw_scene(with_error)).convert("L")
    assert sum(difference.histogram()[24:]) >= SMALLEST
    assert with_error.figures[1:] == scene.figures[1:]
    x, y = spot_of(with_error.figures[0], defect, index)
    assert 0 <= x <= scene.size[0]
    assert 0 <= y <= scene.size[1]
