"""Agreement on parts of the grid, beside the krippendorff package."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest

from analysis.protocols.anatomy.agreement import MARKED, anatomy_agreement
from analysis.protocols.grid_agreement import grid_tables
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.tables import rows_of
from analysis.stats.pairs import shared_images
from scoring.grid.taxonomy import BODY_PART_TITLES, BODY_PARTS, CELLS, ERROR_TYPE_TITLES, ERROR_TYPES
from tests.analysis.protocols.anatomy.test_agreement import random_frame, wide
from tests.analysis.stats.conftest import framed, rated


def library(frame: RatingsFrame, members: list[int]) -> float:
    cells = wide(frame, frame.cells[:, members].astype(np.float64))
    found = krippendorff.alpha(cells.reshape(len(cells), -1), level_of_measurement="nominal")
    return float(found)


def assert_parts_equal_the_library(frame: RatingsFrame) -> None:
    result = {"tables": grid_tables(frame, frame.cells, MARKED, shared_images(frame))}
    for name, titles in (("error_type", ERROR_TYPE_TITLES), ("body_part", BODY_PART_TITLES)):
        *rows, everything = rows_of(result, f"by_{name}")
        assert [row[name] for row in rows] == [*titles.values()]
        for row, slug in zip(rows, titles, strict=True):
            members = [place for place, cell in enumerate(CELLS) if getattr(cell, name) == slug]
            assert row["alpha"]["value"] == pytest.approx(library(frame, members), abs=1e-12)
        assert everything["alpha"]["value"] == pytest.approx(library(frame, [*range(25)]), abs=1e-12)
    for part, row in zip(BODY_PARTS, rows_of(result, "by_cell"), strict=True):
        for kind in ERROR_TYPES:
            members = [place for place, cell in enumerate(CELLS) if cell.key == f"{kind}.{part}"]
            assert row[kind]["value"] == pytest.approx(library(frame, members), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.few(1)
def test_parts_equal_the_library(seed: int) -> None:
    assert_parts_equal_the_library(random_frame(seed, images=80))


@pytest.mark.thorough
def test_parts_of_the_published_study_equal_the_library(study_frame: RatingsFrame) -> None:
    assert_parts_equal_the_library(study_frame)


def test_cells_that_either_or_both_marked_are_counted() -> None:
    hands, face = {"missing.hands": "1/4c"}, {"missing.hands": "1/4a", "extra.face": "1/1a"}
    frame = framed(*(rated(i, who, cells) for i in range(6) for who, cells in (("a", hands), ("b", face))))
    result: dict[str, Any] = anatomy_agreement(frame)
    counts = {
        row["error_type"]: (row["either"], row["both"], row["share"])
        for row in rows_of(result, "by_error_type")
    }
    assert counts == {
        "Missing": (6, 6, 1.0),
        "Extra": (6, 0, 0.0),
        **dict.fromkeys(("Configuration", "Orientation", "Proportion"), (0, 0, None)),
        "All": (12, 6, 0.5),
    }
