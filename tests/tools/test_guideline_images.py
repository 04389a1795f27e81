"""The guideline's images show what it says and are the program's output."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from PIL import Image

from annotator.protocols.anatomy.examples import BLURRED, EXAMPLES, PICTURE_SIZE, Example
from tools.guideline_images.draw import TARGET, picture
from tools.guideline_images.examples import PLATES
from tools.painter.planting import WHOLE_BODY

SIZE_LIMIT = 250_000


def test_every_example_has_a_plate_and_no_picture_is_left_over() -> None:
    assert sorted(example.name for example in (*EXAMPLES, *BLURRED)) == sorted(PLATES)
    assert {path.stem for path in TARGET.iterdir()} == set(PLATES)


@pytest.mark.parametrize("example", [*EXAMPLES, *BLURRED], ids=lambda example: example.name)
def test_the_guide_says_what_is_planted(example: Example) -> None:
    """Cell, severity and share follow from the drawing, as the truth of the demo's images does."""
    plate = PLATES[example.name]
    defect, part = plate.defect, example.cell.body_part
    total = WHOLE_BODY[part] * len(plate.scene.figures)
    if example.cell.count_kind == "visible":
        total += dict(defect.visible).get(part, 0)
    assert (defect.cell, defect.severity) == (example.cell_key, example.term.severity)
    assert (defect.affected, total) == (example.term.affected, example.term.total)
    # The close-up shows what the demo's images show only of people who are large enough.
    assert defect.fits(replace(plate.scene.figures[plate.person], unit=80.0), plate.index)


@pytest.mark.parametrize("name", ["missing-a", "configuration-c", "blur-b"])
def test_a_picture_drawn_again_is_the_committed_one(name: str) -> None:
    again, committed = picture(PLATES[name]), (TARGET / f"{name}.webp").read_bytes()
    assert hashlib.sha256(again).hexdigest() == hashlib.sha256(committed).hexdigest()


def test_pictures_are_small_and_of_the_size_the_page_says() -> None:
    paths = list(TARGET.iterdir())
    assert sum(path.stat().st_size for path in paths) < SIZE_LIMIT
    for path in paths:
        with Image.open(path) as image:
            assert (image.format, image.size) == ("WEBP", PICTURE_SIZE)
