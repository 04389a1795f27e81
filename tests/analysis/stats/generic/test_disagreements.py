"""Which images are furthest apart, and in what they differ."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.protocols.anatomy.agreement import anatomy_agreement
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.disagreements import LISTED, disagreements_table
from analysis.stats.generic.tables import rows_of
from analysis.stats.pairs import shared_images
from scoring.grid.notation import Term, read_cell
from scoring.grid.scores import cumulative_score
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.conftest import framed, rated, scored


def listed(frame: RatingsFrame) -> list[dict[str, Any]]:
    return rows_of({"tables": [made(frame)]}, "disagreements")


def made(frame: RatingsFrame) -> dict[str, Any]:
    assert anatomy_agreement.differences is not None
    return disagreements_table(frame, shared_images(frame), anatomy_agreement.differences(frame))


def test_images_in_the_order_of_their_distance() -> None:
    frame = framed(
        rated(1, "A", {"missing.limbs": "1/4c", "extra.face": "1/1a"})._replace(annotation=11),
        rated(1, "B", {"missing.limbs": "1/4b"})._replace(annotation=12),
        rated(2, "A", {})._replace(annotation=21),
        rated(2, "B", {"missing.face": "1/1c,1/1a"})._replace(annotation=22),
        rated(2, "C", {"missing.face": "1/1a"})._replace(annotation=23),
        rated(3, "A", {"missing.face": "1/2b"})._replace(annotation=31),
        rated(3, "B", {"extra.face": "1/2b"})._replace(annotation=32),
        rated(4, "A", {"missing.face": "1/2b"})._replace(annotation=41),
        rated(4, "B", {"missing.face": "1/2b"})._replace(annotation=42),
        rated(5, "A", {}),
    )
    found = listed(frame)
    assert [(row["image"], row["annotators"], row["one_sided"]) for row in found] == [
        (2, ["A", "B"], 1),
        (1, ["A", "B"], 1),
        (3, ["A", "B"], 2),
        (4, ["A", "B"], 0),
    ]
    first, second = found[:2]
    assert first["annotations"] == [21, 22]
    assert first["difference"] == pytest.approx(1.2)
    assert first["cells"] == [{"cell": "missing.face", "marks": ["", "1/1a,1/1c"]}]
    assert second["cells"] == [
        {"cell": "missing.limbs", "marks": ["1/4c", "1/4b"]},
        {"cell": "extra.face", "marks": ["1/1a", ""]},
    ]


def test_the_order_of_the_published_study_is_that_of_exact_fractions(
    study_frame: RatingsFrame, study_rows: list[dict[str, str]]
) -> None:
    """Subtracted in floats, places 46 and 47 and places 54 and 55 change places."""
    said: dict[tuple[str, ...], list[dict[str, tuple[Term, ...]]]] = {}
    for row in study_rows:
        cells = {cell.key: read_cell(row[cell.heading])[0] for cell in CELLS}
        said.setdefault((row["Model"], row["Prompt"], row["Pic Num."]), []).append(cells)
    # Images of the frame are numbered as the file comes to them; sorting keeps that order.
    twice = [
        (
            abs(cumulative_score(two[0]) - cumulative_score(two[1])),
            sum(bool(two[0][cell.key]) != bool(two[1][cell.key]) for cell in CELLS),
            key,
        )
        for key, two in said.items()
        if len(two) == 2
    ]
    twice.sort(key=lambda image: image[:2], reverse=True)
    rows = listed(study_frame)
    assert len(rows) == 60
    found = [(row["generator"], row["prompt"], str(row["number"])) for row in rows]
    assert found == [key for _, _, key in twice]
    assert [row["difference"] for row in rows] == pytest.approx([float(apart) for apart, _, _ in twice])


def test_the_list_is_bounded() -> None:
    frame = scored({name: {i: str(i * k % 7) for i in range(LISTED + 50)} for k, name in enumerate("AB")})
    assert made(frame)["words"].endswith(" 50 images with smaller disagreements are not listed.")
    rows = listed(frame)
    assert len(rows) == LISTED
    distances = [row["difference"] for row in rows]
    assert distances == sorted(distances, reverse=True)
