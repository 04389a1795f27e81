"""The marked cells on a thumbnail."""

from __future__ import annotations

from annotator.annotations.summary_values import mask_of
from annotator.gallery.small_grids import SmallCell, small_grid


def test_a_cell_shows_its_worst_mark_in_its_row_and_column() -> None:
    marked = {
        "marked": mask_of(["missing.torso", "extra.hands", "proportion.face"]),
        "mild": mask_of(["missing.torso", "extra.hands"]),
        "moderate": mask_of(["extra.hands"]),
        "severe": 0,
    }
    assert small_grid(marked) == [
        SmallCell(0, 0, "mild"),
        SmallCell(6, 18, "moderate"),
        SmallCell(24, 24, ""),
    ]


def test_an_image_without_summary_has_none() -> None:
    assert small_grid(dict.fromkeys(("marked", "mild", "moderate", "severe"))) == []
